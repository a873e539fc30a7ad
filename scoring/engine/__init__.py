"""Run compiled programs: take records in, give outcomes and a run folder out."""
