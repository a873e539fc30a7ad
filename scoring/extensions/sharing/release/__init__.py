"""A new version of a spec: which part of it must be raised, and why, by proof or by a counterexample."""
