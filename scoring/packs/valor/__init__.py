"""Valor: the rules of its services."""
