"""The verb that opens a studio."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.api.arguments import is_whole, verb
from scoring.api.sources import source
from scoring.errors import InputError

if TYPE_CHECKING:
    from scoring.extensions.studio.server import StudioServer

MOST_RECORDS = 1_000_000
"""The most records that a studio holds."""


@verb
def open_studio(
    spec: str | Path,
    data: str | Path | None = None,
    *,
    references: str | Path | None = None,
    beside: str | Path | None = None,
    input_format: str | None = None,
    reference_format: str | None = None,
    limit: int = 100_000,
    port: int = 0,
) -> AbstractContextManager[StudioServer]:
    """Return a studio: a page for this machine only, on which a spec is edited, and what it does to records is seen.

    Args:
        spec: The file of a task or a suite; it is written only when the page's button is pressed.
        data: The file of the records, for a suite also a folder with a file for each task; of a data set of images the
            predictions, if not those that the spec names.
        references: The file of the references, joined to the records by id; of a data set of images the ground truth.
        beside: A second spec, or the folder of a finished run, with whose scores each record is compared.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        reference_format: The format of ``references``.
        limit: The most records that are held in memory and scored, of a suite of each task.
        port: The port on 127.0.0.1; 0 for any free one.

    Returns:
        A context manager that runs the server; its ``address`` contains a secret key, without which nobody can use it.

    Raises:
        InputError: when a file can't be read or, on entering the context, the port can't be used.

    Examples:
        >>> with open_studio("specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl") as studio:
        ...     studio.address.startswith("http://127.0.0.1:")
        True
    """
    from scoring.extensions.studio.server import StudioServer
    from scoring.extensions.studio.settings import StudioSettings

    if not is_whole(port, 0, 65_535):
        raise InputError(f"a port is a number from 0 to 65535, not {port!r:.40}")
    if not is_whole(limit, 1, MOST_RECORDS):
        raise InputError(f"--limit is a number of records from 1 to {MOST_RECORDS:,}, not {limit!r:.40}")
    for given, how in ((data, input_format), (references, reference_format)):
        if str(given) == "-":
            raise InputError("a studio reads its records more than once, so they come from a file, not from `-`")
        if given is not None:
            source(given, how)
    if beside is not None and not Path(beside).exists():
        raise InputError(f"can't read {beside}: there is no such spec, and no such run")
    names = (None if one is None else str(one) for one in (references, beside))
    _check_has_records(Path(spec), is_given=data is not None)
    given = None if data is None else str(data)
    settings = StudioSettings(str(spec), given, next(names), limit, next(names), input_format, reference_format)
    return StudioServer(settings, port)


def _check_has_records(spec: Path, *, is_given: bool) -> None:
    """Check that there is something to score: data that are given, or those that a spec names, as that of a data set of
    images may; a spec with mistakes is not judged, since the page shows them."""
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.format.load import Loader
    from scoring.format.model import Pack, TaskSpec

    try:
        found = Loader().file(spec, str(spec)).spec
    except SpecError:
        return
    if isinstance(found, Pack):
        raise InputError(f"{spec} is a pack, which has no records; `scoring test {spec}` runs its examples")
    names_data = found.records if isinstance(found, TaskSpec) else getattr(found, "results", "none needed")
    if not (is_given or names_data):
        raise InputError(f"which records? DATA is missing; write `scoring studio {spec} answers.jsonl`")
