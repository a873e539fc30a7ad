"""Finished runs read and scored again: verified, repeated into a new folder, and bundled for others."""
