"""Write a run folder, or a spec, in the form of another tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from scoring.api.arguments import verb
from scoring.api.result import Result
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.registry import plugins
from scoring.report.document import Document, Paragraph

GROUP = "scoring.host_exports"


class HostExport(Struct, frozen=True):
    """A form of another tool in which runs or specs can be written, given by an entry point of `scoring.host_exports`.

    Args:
        title: What is written, for help and messages, such as ``a task of lm-evaluation-harness``.
        takes: Whether it is made of a run folder or of a spec.
        write: Writes it, given the path of the run folder or spec and the path to write to, which is a file or folder
            as the form has it, and returns the paths of all files that were written. It raises InputError when the run
            or spec can't be said in that form.
        settings: The settings that it takes behind its name, as in ``hf-results,dataset=openai/gsm8k``; such a form is
            called with them as a third argument.
        place: Returns the path that must be free, given the path to write to and the settings; by default that path.
    """

    title: str
    takes: Literal["run", "spec"]
    write: Callable[..., Sequence[Path]]
    settings: tuple[str, ...] = ()
    place: Callable[[Path, Mapping[str, str]], Path] = lambda out, settings: out


class Exported(Result):
    """The files that an export has written."""


@verb
def export(tool: str, what: str | Path, output: str | Path, *, force: bool = False) -> Exported:
    """Write a run folder or a spec in the form of another tool.

    Args:
        tool: The name of the form, such as ``every-eval-ever`` or ``lm-eval``, and its settings behind commas, as in
            ``hf-results,dataset=openai/gsm8k,task=gsm8k``.
        what: The path of a run folder, or of a spec.
        output: The file or folder to write.
        force: Whether to replace what is there.

    Raises:
        InputError: when there is no such form, it can't be made of what is given, or something is at the output path.
    """
    name, *given = tool.split(",")
    plugin = plugins.find_plugin(GROUP, name)
    if plugin is None:
        known = [one.name for one in plugins.every(GROUP)]
        hint = did_you_mean(name, known)
        raise InputError(
            f"there is no form `{name:.80}` to export to; {f'{hint}; ' if hint else ''}there are {listed(known, 'and')}"
        )
    found: HostExport = plugin.load()
    settings = _settings(name, given, found.settings)
    source, out = Path(what), Path(output)
    if found.takes == "run" and not (source / "manifest.json").is_file():
        raise InputError(
            f"{what} is no run folder, of which {found.title} is made; write one: `scoring score … -o {what}`"
        )
    place = found.place(out, settings)
    if place.exists() and not force and (place.is_file() or any(place.iterdir())):
        raise InputError(f"can't write {place}: it is there already; name another path, or add --force")
    arguments = (source, out, settings) if found.settings else (source, out)
    files = [str(path) for path in found.write(*arguments)]
    return Exported({"title": found.title, "files": files}, found.title, _files_document, "files")


def _settings(name: str, given: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return the settings behind the name of a form.

    Raises:
        InputError: when one is unknown, has no value, or stands twice.
    """
    found: dict[str, str] = {}
    for one in given:
        key, sign, value = one.partition("=")
        if key not in known:
            there = (
                f"{did_you_mean(key, known) or f'it takes {listed(known)}'}" if known else "it takes none; leave it out"
            )
            raise InputError(f"`{name}` has no setting {shown(key)}; {there}")
        if not sign or not value or key in found:
            raise InputError(f"write the setting `{key}` of `{name}` once, with its value: {name},{key}=…")
        found[key] = value
    return found


def _files_document(data: Mapping[str, Any]) -> Document:
    return Document((Paragraph(tuple(f"written {path}" for path in data["files"])),))
