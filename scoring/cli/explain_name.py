"""Explain something that has a name: a primitive, a definition of a pack, or a kind of finding."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError
from scoring.cli.pack_list import definition_data, find_pack


def explain_name(name: str, as_json: bool, console: Console) -> int:
    """Explain what a name stands for.

    Raises:
        UsageError: when it stands for nothing.
    """
    from scoring.registry import registry

    primitive = registry.get(name)
    if primitive is not None:
        return _primitive(primitive, as_json, console)
    page = catalog_page(name)
    if page is not None:
        console.json({"id": name, "page": page}) if as_json else console.print(page.rstrip())
        return CLEAN
    if ":" in name:
        return _definition(name, as_json, console)
    if Path(name).exists():
        raise UsageError(f"to explain a record, name the data too: scoring explain {name} DATA --record ID")
    raise UsageError(_unknown(name))


def catalog_page(name: str) -> str | None:
    """The page of a kind of finding, None where there is none."""
    if not name.replace("-", "").isalnum():
        return None
    page = files("scoring.diagnostics").joinpath("catalog", f"{name}.md")
    return page.read_text("utf-8") if page.is_file() else None


def _primitive(primitive: Any, as_json: bool, console: Console) -> int:
    from scoring.cli.commands.list_ import primitive_data
    from scoring.report.primitive_text import terminal

    if as_json:
        console.json(primitive_data(primitive))
    else:
        console.print(terminal(primitive, console.style))
    return CLEAN


def _definition(name: str, as_json: bool, console: Console) -> int:
    pack_name, _, wanted = name.rpartition(":")
    pack = find_pack(pack_name)
    definition = pack.definitions.get(wanted)
    if definition is None:
        from scoring.diagnostics.suggest import did_you_mean

        close = did_you_mean(wanted, pack.definitions)
        hint = f"; did you mean `{close}`?" if close else f"; see `scoring list {pack_name}`"
        raise UsageError(f"{pack.name} has no `{wanted}`{hint}")
    data = definition_data(pack, definition)
    console.json(data) if as_json else console.print(_text(data, console))
    return CLEAN


def _text(data: dict[str, Any], console: Console) -> str:
    from scoring.report.table import table
    from scoring.report.trace_text import value_text

    style = console.style
    parts = [f"{style.bold(data['name'])}  {style.dim(data['role'] + ' · ' + data['pack'])}"]
    if data["doc"]:
        parts.append(data["doc"])
    parts.append(f"    {data['expression']}")
    if data["parameters"]:
        rows = [[one["name"], one["default"], one["doc"]] for one in data["parameters"]]
        parts.append(table(rows, ["parameter", "default", ""], style=style))
    if data["examples"]:
        rows = [
            [*(f"{key} {value_text(value)}" for key, value in one["given"].items()), f"→ {value_text(one['expect'])}"]
            for one in data["examples"]
        ]
        width = max(map(len, rows))
        parts.append(table([[*row[:-1], *[""] * (width - len(row)), row[-1]] for row in rows]))
    if data["source"]:
        parts.append(style.dim(f"source: {data['source']}"))
    return "\n\n".join(parts)


def _unknown(name: str) -> str:
    from scoring.diagnostics.suggest import did_you_mean
    from scoring.registry import registry

    pages = [page.name.removesuffix(".md") for page in files("scoring.diagnostics").joinpath("catalog").iterdir()]
    close = did_you_mean(name, [*registry.names(), *pages])
    hint = f"did you mean `{close}`?" if close else "`scoring list` shows the primitives"
    return f"nothing is called `{name}`; {hint}"
