"""Generate files of the repository from code: schemas, the index of plug-ins, tables and reference pages."""

from __future__ import annotations

from pathlib import Path

from scoring.api.dialects import known_dialects
from scoring.data import file_format
from scoring.engine import features
from scoring.format.cookbook import cookbook_page, first_records
from scoring.format.schema import documents, schema_text
from scoring.format.table import update_key_tables
from scoring.lang.grammar import tables_text
from scoring.registry import plugins, registry
from scoring.report.reference import reference_pages

KEY_PAGES = ("docs/specs.md", "docs/suites.md")
"""The pages that hold tables of keys."""


def generated_files(root: Path) -> dict[str, str]:
    """Return the text of every generated file, by its path in the repository."""
    index = registry.index_text()  # first, since what follows finds plug-ins by it
    running, tables = root / "docs" / "running.md", {}
    if running.is_file():
        tables["docs/running.md"] = features.update_feature_table(
            file_format.update_format_table(running.read_text("utf-8"))
        )
    has_probes = (root / "tests" / "parity" / "recipes").is_dir()
    cookbook = {"docs/cookbook.md": cookbook_page(root), **first_records(root)} if has_probes else {}
    return {
        "scoring/registry/index.json": index,
        "scoring/lang/grammar.json": tables_text(),
        **{f"schemas/{name}": schema_text(one) for name, one in documents().items()},
        **tables,
        **{name: update_key_tables((root / name).read_text("utf-8")) for name in KEY_PAGES if (root / name).is_file()},
        **cookbook,
        **reference_pages(registry),
        **{path: page() for dialects in known_dialects(plugins.own) for path, page in dialects.pages.items()},
    }


def stale(root: Path) -> dict[str, str]:
    """Return the new text of each generated file that is missing or out of date, by its path in the repository."""
    return {
        name: text
        for name, text in generated_files(root).items()
        if not (root / name).is_file() or (root / name).read_text("utf-8") != text
    }
