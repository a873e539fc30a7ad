"""Validation of plans: a parser of PDDL and a validator of STRIPS plans."""
