"""Write the scores of a run back into the log of the host that was scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.api.sources import GivenData
from scoring.data.file import InputFile
from scoring.diagnostics.words import listed
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import Verdicts
from scoring.extensions.layouts.logs import find_log, log_names

if TYPE_CHECKING:
    from scoring.api.run import Run


def log_writer(given: GivenData, path: str | Path, force: bool) -> Callable[[Run], None]:
    """Return the function that writes the log that is scored, with the scores of the run, to a path.

    Raises:
        InputError: when what is scored is no log of a host, the host has no place for scores, or something is at the
            path already.
    """
    log = find_log(given.log() or "")
    if log is None or not isinstance(given.data, str | Path):
        raise InputError(
            f"--write-back is for the log of an evaluation host, and {given.data} is none that is known; there are "
            f"{listed(log_names(), 'and')}; name its kind with --layout, or leave --write-back out"
        )
    write = log.write_back
    if write is None:
        raise InputError(f"{log.title} has no place for scores; leave --write-back out, and add -o FOLDER")
    source, out = Path(given.data), Path(path)
    if out.exists() and (out.resolve() == source.resolve() or not force):
        own = "the log itself" if out.resolve() == source.resolve() else "there already"
        raise InputError(f"can't write back to {out}: it is {own}; name another file")
    file = InputFile(str(source), kind=given.input_format or log.name)

    def finish(run: Run) -> None:
        about, results = run.summary["task"], run.parts[0].results
        numbers = [sample.number for sample in log.samples(file) if sample.record is not None]
        if len(numbers) != len(results) and given.limit is None:
            raise InputError(
                f"can't write back to {out}: {source} was read as {len(results):,} records, and as {log.title} it has "
                f"{len(numbers):,}; read it by --layout {log.name}"
            )
        places = {number: place for place, number in enumerate(numbers[: len(results)])}
        meaning, version = run.signature.meaning, about.get("version") or ""
        write(file, Verdicts(about["name"], version, meaning, run.summary["metrics"], results, places), out)

    return finish
