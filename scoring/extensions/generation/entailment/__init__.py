"""Entailment: does one text follow from another, by a local model."""
