"""Entailment by a local model: whether one text follows from another."""
