"""Figures of ranked lists."""
