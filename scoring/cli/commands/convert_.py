"""`scoring convert`: turn a task file of a foreign form into a native spec."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError
from scoring.cli.files import write_file

_HEAD = "# yaml-language-server: $schema={schema}\n# Converted by `scoring convert` from {name}.\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.load import add_dialect

    parser.add_argument("metrics", metavar="FILE", help="the file to convert")
    parser.add_argument("-o", "--output", metavar="SPEC", help="where to write the spec (default: print it)")
    parser.add_argument("--name", metavar="NAME", help="the task's name (default: the name of the file or its folder)")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    add_dialect(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Convert one file, and make sure that what is written reads back as the same spec."""
    from scoring.cli.yaml_text import schema_link, yaml_text
    from scoring.format.front_ends import front_end_of, front_ends
    from scoring.format.read import read_file, read_text

    path = Path(options.metrics)
    node = read_file(path, options.metrics)
    form = front_end_of(node)
    if form is None:
        known = "; and ".join(f"is no {form.title}: {form.lacks}" for form in front_ends())
        raise UsageError(f"{options.metrics} {known}")
    name = options.name or form.task_name(path)
    data = _short(form.convert(node, name, form.dialect_of(options.dialect)).plain())
    text = _HEAD.format(schema=schema_link("task"), name=path.name) + yaml_text(data)
    assert read_text(text, "converted.yaml").plain() == data, "the written spec does not read back as it was"
    if not options.output:
        console.out.write(text)
        return CLEAN
    target = Path(options.output)
    if target.exists() and not options.force:
        raise UsageError(f"{options.output} exists; add --force to replace it")
    write_file(target, text)
    console.print(f"written {options.output}")
    return CLEAN


def _short(data: dict[str, Any]) -> dict[str, Any]:
    """The spec with fields that have nothing but a scorer in their short form."""
    fields = data.get("fields", {}).items()
    short = {name: field["score"] if field.keys() == {"score"} else field for name, field in fields}
    return {**data, "fields": short} if short else data
