"""Signatures of releases and runs: the signed statement, signing and checking, and the keys that count."""
