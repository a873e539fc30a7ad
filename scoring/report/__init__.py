"""Render results: terminal tables, trace trees, the reference page, a self-contained HTML page."""
