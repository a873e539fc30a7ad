"""Logs of evaluation hosts: read as records, and written back with the scores beside their samples; a file a host."""
