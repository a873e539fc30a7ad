"""Gathers what a site of packs, tasks and primitives shows, and serves one in which definitions can be tried."""
