"""Signatures of releases and runs: what is said, how it is signed and checked, whose keys count."""
