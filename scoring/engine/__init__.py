"""Runs compiled programs: records in, outcomes and a run folder out."""
