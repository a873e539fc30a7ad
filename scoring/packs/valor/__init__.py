"""Valor: the matching rules of its services."""
