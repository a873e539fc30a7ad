"""One renderer per output format; each offers `render(diagnostics, color=False) -> str`."""
