"""Write a run folder, or a spec, in the form of another tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from scoring.api.arguments import verb
from scoring.api.result import Result
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed
from scoring.errors import InputError
from scoring.registry import plugins
from scoring.report.document import Document, Paragraph

GROUP = "scoring.host_exports"


@dataclass(frozen=True, slots=True)
class HostExport:
    """A form of another tool in which runs or specs can be written, given by an entry point of `scoring.host_exports`.

    Args:
        title: What is written, for help and messages, such as ``a task of lm-evaluation-harness``.
        takes: Whether it is made of a run folder or of a spec.
        write: Writes it, given the path of the run folder or spec and the path to write to, which is a file or folder
            as the form has it, and returns the paths of all files that were written. It raises InputError when the run
            or spec can't be said in that form.
    """

    title: str
    takes: Literal["run", "spec"]
    write: Callable[[Path, Path], Sequence[Path]]


class Exported(Result):
    """The files that an export has written."""


@verb
def export(tool: str, what: str | Path, output: str | Path, *, force: bool = False) -> Exported:
    """Write a run folder or a spec in the form of another tool.

    Args:
        tool: The name of the form, such as ``every-eval-ever`` or ``lm-eval``.
        what: The path of a run folder, or of a spec.
        output: The file or folder to write.
        force: Whether to replace what is there.

    Raises:
        InputError: when there is no such form, it can't be made of what is given, or something is at the output path.
    """
    plugin = plugins.find_plugin(GROUP, tool)
    if plugin is None:
        known = [one.name for one in plugins.every(GROUP)]
        hint = did_you_mean(tool, known)
        raise InputError(
            f"there is no form `{tool:.80}` to export to; {f'{hint}; ' if hint else ''}there are {listed(known, 'and')}"
        )
    found: HostExport = plugin.load()
    source, out = Path(what), Path(output)
    if found.takes == "run" and not (source / "manifest.json").is_file():
        raise InputError(
            f"{what} is no run folder, of which {found.title} is made; write one: `scoring score … -o {what}`"
        )
    if out.exists() and not force and (out.is_file() or any(out.iterdir())):
        raise InputError(f"can't write {out}: it is there already; name another path, or add --force")
    files = [str(path) for path in found.write(source, out)]
    return Exported({"title": found.title, "files": files}, found.title, _files_document, "files")


def _files_document(data: Mapping[str, Any]) -> Document:
    return Document((Paragraph(tuple(f"written {path}" for path in data["files"])),))
