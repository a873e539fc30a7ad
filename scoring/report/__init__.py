"""Render results: as terminal tables and trees, as self-contained HTML pages, as Markdown, and as reports for CI."""
