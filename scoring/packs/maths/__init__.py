"""Answers to mathematics problems, extracted and normalised like released code does before comparing them."""
