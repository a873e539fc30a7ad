"""Plans: a reader of PDDL and a validator of STRIPS plans."""
