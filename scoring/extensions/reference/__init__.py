"""What there is and how it is used: lists, the search, explanations of names, recipes, and generated files."""
