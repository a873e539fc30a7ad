"""The files of the repository that are written from the code: schemas and pages."""

from __future__ import annotations

from pathlib import Path


def generated_files(root: Path) -> dict[str, str]:
    """The text of every generated file, by its path in the repository."""
    from scoring.api.dialects import known
    from scoring.format.generate import pages, registry_files
    from scoring.registry import plugins, registry
    from scoring.report.reference import reference_page, upstream_page

    running = root / "docs" / "running.md"
    return {
        **registry_files(),
        **({"docs/running.md": _with_tables(running)} if running.is_file() else {}),
        **pages(root),
        "docs/primitives.md": reference_page(list(registry)),
        "docs/upstream.md": upstream_page(list(registry)),
        **{path: page() for dialects in known(plugins.own) for path, page in dialects.pages.items()},
    }


def _with_tables(page: Path) -> str:
    from scoring.data import file_format
    from scoring.engine import features

    return features.documented(file_format.documented(page.read_text("utf-8")))


def stale(root: Path) -> dict[str, str]:
    """The generated files that are not as they should be, with the text that they should have."""
    return {
        name: text
        for name, text in generated_files(root).items()
        if not (root / name).is_file() or (root / name).read_text("utf-8") != text
    }
