"""The index of our own primitives and plug-ins, which the core reads so that it need not search for them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.registry import plugins, registry
from scoring.registry.editions import OLDEST

COMMANDS = "scoring.commands"
FORMATS = "scoring.formats"
LOGS = "scoring.logs"
PROJECT = plugins.FILE.parents[2] / "pyproject.toml"


def index_text() -> str:
    """Return the text of ``index.json``: the module of each of our own primitives and plug-ins.

    Raises:
        FileNotFoundError: outside of a checkout, since only a checkout has `pyproject.toml`.
    """
    plugins.PLUG_INS = declared(PROJECT)  # not from the index, which is about to be written
    registry.discover(again=True)
    own = [one for one in registry if one.is_own]
    ours = {
        "steps": {one.name: one for one in own if one.kind != "metric"},
        "metrics": {one.name: one for one in own if one.kind == "metric"},
    }
    modules = {title: {name: one.function.__module__ for name, one in found.items()} for title, found in ours.items()}
    aka = {title: {name: list(one.aka) for name, one in found.items() if one.aka} for title, found in ours.items()}
    since = {of: {name: one.since for name, one in found.items() if one.since > OLDEST} for of, found in ours.items()}
    commands = {plugin.value: plugin.load() for plugin in plugins.own(COMMANDS)}
    sections = {plugin.name: plugin.load().moves for plugin in plugins.own(plugins.SECTIONS)}
    # Formats of whole data sets have no suffixes.
    of_rows = [form for plugin in plugins.own(FORMATS) if hasattr(form := plugin.load(), "suffixes")]
    plugins.LOGS = {plugin.name: plugin.load().holds for plugin in plugins.own(LOGS)}
    plugins.FORMATS = {form.name: _recognized_by(form) for form in of_rows}
    files: dict[str, Mapping[str, Any]] = {"formats": plugins.FORMATS, "logs": plugins.LOGS}
    entries = {f"{group}:{name}": value for group, own in plugins.PLUG_INS.items() for name, value in own.items()}
    return format_index({**modules, "plug-ins": entries}, aka, since, sections, files, commands)


def declared(pyproject: Path) -> dict[str, dict[str, str]]:
    """Return the value of each entry point in the file `pyproject` by its name, for each group, in the order in which
    they are written there.

    The help text lists the commands in this order.
    """
    groups = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["entry-points"]
    return {group: dict(groups[group]) for group in sorted(groups)}


def format_index(
    modules: Mapping[str, Mapping[str, str]],
    aka: Mapping[str, Mapping[str, list[str]]],
    since: Mapping[str, Mapping[str, int]],
    sections: Mapping[str, str],
    files: Mapping[str, Mapping[str, Any]],
    commands: Mapping[str, Mapping[str, str]],
) -> str:
    """Return the text of ``index.json``, as JSON.

    Args:
        modules: For each title of a group, the module of each primitive or plug-in by its name.
        aka: For each title of a group, the synonyms.
        since: For each title of a group, the edition of each name that came after the oldest one.
        sections: The effect of each key that an extension adds to specs.
        files: How files of each format, and of each kind of log, are recognized.
        commands: The commands of each entry point.
    """
    names_by_module: dict[str, dict[str, list[str]]] = {}
    for title, module_of in modules.items():
        for name, module in sorted(module_of.items(), key=lambda entry: (entry[1], entry[0])):
            names_by_module.setdefault(title, {}).setdefault(module, []).append(name)
    other_names = {f"aka of {of}": dict(others) for of, others in aka.items()}
    tables = {"since": since, "sections": dict(sections), **files, "commands": commands}
    return json.dumps({**names_by_module, **other_names, **tables}, indent=1) + "\n"


def _recognized_by(form: Any) -> dict[str, list[str]]:
    # A log that begins as other files do, such as a zip archive, is recognized by what it holds.
    begins = () if form.name in plugins.LOGS else form.begins
    return {"suffixes": list(form.suffixes), "begins": [mark.decode("latin-1") for mark in begins]}
