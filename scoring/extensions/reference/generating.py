"""Generate files of the repository from code: schemas, the index of plug-ins, tables and reference pages."""

from __future__ import annotations

from pathlib import Path

from scoring.extensions.reference.cookbook import cookbook_page, first_records
from scoring.extensions.reference.index import index_text
from scoring.extensions.reference.parity import parity_page
from scoring.extensions.reference.primitives import reference_pages
from scoring.extensions.reference.schemas import documents, schema_text
from scoring.extensions.reference.tables import update_feature_table, update_format_table, update_key_tables
from scoring.extensions.reference.upstream import facts_section
from scoring.lang.grammar import tables_text
from scoring.registry import plugins, registry
from scoring.registry.extension import find_service

KEY_PAGES = ("docs/specs.md", "docs/suites.md")
"""The pages that hold tables of keys."""

DIALECTS = "scoring.dialects"
"""The group of plug-ins that have pages of their own."""


def generated_files(root: Path) -> dict[str, str]:
    """Return the text that every generated file of the checkout `root` should have, by its path in the repository."""
    index = index_text()  # first, since what follows finds plug-ins by it
    running, tables = root / "docs" / "running.md", {}
    if running.is_file():
        tables["docs/running.md"] = update_feature_table(update_format_table(running.read_text("utf-8")))
    has_probes = (root / "tests" / "parity" / "recipes").is_dir()
    cookbook = {"docs/cookbook.md": cookbook_page(root), **first_records(root)} if has_probes else {}
    dialects = find_service("dialects-page") if has_probes else None
    editors = find_service("editor-files")
    guides = find_service("agent-guides") if (root / "mkdocs.yml").is_file() else None
    parity = {"docs/parity.md": parity_page(root)} if has_probes else {}
    return {
        "scoring/registry/index.json": index,
        "scoring/lang/grammar.json": tables_text(),
        **{f"schemas/{name}": schema_text(one) for name, one in documents().items()},
        **tables,
        **{name: update_key_tables((root / name).read_text("utf-8")) for name in KEY_PAGES if (root / name).is_file()},
        **cookbook,
        **parity,
        **reference_pages(registry, facts_section(root) if has_probes else ""),
        **({} if editors is None else editors()),
        **({} if guides is None else guides(root)),
        **({} if dialects is None else {"docs/dialects.md": dialects()}),
        **{path: page() for plugin in plugins.own(DIALECTS) for path, page in plugin.load().pages.items()},
    }


def stale(root: Path) -> dict[str, str]:
    """Return the new text of each generated file in the checkout `root` that is missing or out of date, by its path in
    the repository."""
    return {
        name: text
        for name, text in generated_files(root).items()
        if not (root / name).is_file() or (root / name).read_text("utf-8") != text
    }
