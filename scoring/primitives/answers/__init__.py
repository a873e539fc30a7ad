"""Primitives for short answers in document question answering: cleaning, numbers, identifiers, listed answers."""
