"""What changed between two specs, and which records move by it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.result import Result
from scoring.api.verb import verb
from scoring.data.rows.row import InputError
from scoring.format.model import Pack, SuiteSpec

if TYPE_CHECKING:
    from scoring.api.judges import JudgeOptions
    from scoring.api.moving import AskedOfSpecs
    from scoring.api.sides import DiffSide

MOST_SCORINGS = 18
WORST = 20


class SpecDiff(Result):
    """What changed between two specs, and with data what moves by it."""

    @property
    def moves(self) -> bool:
        """Whether a score can be another one, or a name that others use is gone."""
        return bool(self.data["moves"])

    @property
    def changes(self) -> list[str]:
        """The changes, a line each."""
        return [str(change["text"]) for change in self.table()]

    @property
    def moved(self) -> int | None:
        """How many records came to something else; None without data."""
        return None if self.data["movement"] is None else int(self.data["movement"]["moved"])


@verb
def diff(
    old: str | Path | Mapping[str, Any],
    new: str | Path | Mapping[str, Any],
    *,
    data: Any = None,
    references: Any = None,
    input_format: str | None = None,
    limit: int | None = None,
    worst: int = WORST,
    scorings: int = MOST_SCORINGS,
    everything: bool = False,
    dialect: str | None = None,
    processes: int = 1,
    judge: JudgeOptions | None = None,
) -> SpecDiff:
    """Say what changed between two packs, tasks or suites; with data also which records move, and because of what.

    Changes are told by the node that changed: a parameter, a step, a setting, a policy. What is written otherwise and
    means the same is one line. With data both sides score it, and then every change that moves something is made alone
    on the old side, and last on the new one.

    Args:
        old: The older spec: its file, a pack's name with a version (`close@1.0.0`), an address that `scoring add`
            knows, `REV:path` of the git repository that one works in, or a spec as data; or a finished run.
        new: The newer one, likewise.
        data: Records to score with both; as `scoring.evaluate` takes them.
        references: What they are joined to.
        input_format: Of the data, such as `csv`.
        limit: How many records.
        worst: How many records are told one by one.
        scorings: How often the data may be scored to find out what each change does; 2 for both sides alone. Where
            there are more changes, those near one another are taken together.
        everything: Tell also what is for people alone: documentation, examples.
        dialect: What the names in files of a foreign form mean.
        processes: How many processes score.
        judge: How a model is asked where a task asks one.

    Raises:
        InputError: when a side can't be had, or the two are not of one kind.
        SpecError: when one of them is broken.

    Examples:
        >>> old = {"kind": "task", "name": "t", "score": "levenshtein | cutoff(0.8)"}
        >>> found = diff(
        ...     old, {**old, "score": "levenshtein | cutoff(0.5)"}, data=[{"response": "abc", "reference": "abd"}]
        ... )
        >>> found.changes, found.moved
        (['`score.cutoff.threshold` 0.8 → 0.5'], 1)
    """
    from scoring.api.moving import moving
    from scoring.report.of.differing import differing_document

    given = (data, references, input_format, limit)
    how = moving(given, worst, scorings, everything, {"processes": processes, "judge": judge})
    found = _changed(old, new, how, dialect)
    moved = found["movement"]
    result = {**found, "moves": found["moves"] or bool(moved and moved["moved"])}
    return SpecDiff(result, _about(result), differing_document, "changes")


def _changed(old: Any, new: Any, how: AskedOfSpecs, dialect: str | None) -> dict[str, Any]:
    from scoring.api.sides import is_run

    runs = [is_run(side) for side in (old, new)]
    if any(runs) and not all(runs):
        raise InputError("one side is a finished run and the other a spec; compare two runs, or two specs with --data")
    if not all(runs):
        return _specs_changed(old, new, how, dialect)
    from scoring.api.run_changes import runs_changed

    return runs_changed(str(old), str(new), how)


def _specs_changed(old: Any, new: Any, how: AskedOfSpecs, dialect: str | None) -> dict[str, Any]:
    from scoring.api.moving import changed_data
    from scoring.api.sides import diff_side

    usual = {"worst": (how.worst, WORST), "scorings": (how.scorings, MOST_SCORINGS)}
    usual["processes"] = (how.options["processes"], 1)
    idle = [name for name, (one, other) in usual.items() if one != other]
    if how.given is None and idle:
        raise InputError(f"`{idle[0]}` is for records that are scored; name them, too: --data FILE")
    with ExitStack() as stack:
        one, other = (diff_side(side, stack, dialect) for side in (old, new))
        _check_kinds(one, other)
        return changed_data(one, other, how)


def _check_kinds(old: DiffSide, new: DiffSide) -> None:
    kinds = [_kind(side) for side in (old, new)]
    if kinds[0] != kinds[1]:
        raise InputError(f"{old.shown} is a {kinds[0]} and {new.shown} a {kinds[1]}; compare two of one kind")


def _kind(side: DiffSide) -> str:
    spec = side.loaded.spec
    return "pack" if isinstance(spec, Pack) else "suite" if isinstance(spec, SuiteSpec) else "task"


def _about(found: Mapping[str, Any]) -> str:
    from scoring.diagnostics.words import counted

    moved = found["movement"]
    told = "" if moved is None else f", {moved['moved']} of {moved['records']} records move"
    return f"{counted(len(found['changes']), 'change')}{told}"
