"""Values that are drawn to try definitions and readers on: of every type, awkward, mutated, and made small."""
