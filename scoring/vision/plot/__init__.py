"""Plots of curves and confusion matrices as static SVG, written without any library."""
