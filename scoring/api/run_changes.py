"""Two finished runs: what changed between what they were scored by, and which records came to something else.

The scores are those that were recorded. Where the specs and the data are still as they were, the changes are told by
the specs, and exchanged one at a time on the data; else by the programs that the manifests hold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from scoring.api.moving import AskedOfSpecs, compared_suites, movement, score_versions
from scoring.api.repeating import InputsGone, Repeatable, prepared
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.runs.read import StoredRun, read_run
from scoring.engine.suite.model import Suite
from scoring.sharing.changes.between import AnyBetween, BetweenSpecs
from scoring.sharing.changes.found import MovesJudged, judged
from scoring.sharing.changes.movement import Attribution, RecordScore, ScoredData, ScoreVersion
from scoring.sharing.changes.names import SpecFiles
from scoring.sharing.changes.programs import programs_changed
from scoring.sharing.changes.told import diff_data, movement_data


def runs_changed(old: str, new: str, how: AskedOfSpecs) -> dict[str, Any]:
    """What changed between two runs, as `scoring.diff` tells it.

    Raises:
        InputError: when a run can't be read, or data were given, which runs have themselves.
    """
    if how.given is not None:
        raise InputError("two finished runs have their own data; leave out --data, or compare the specs")
    with ExitStack() as stack:
        held = [_run(name, stack) for name in (old, new)]
        runs: list[Repeatable | StoredRun] = [run for run, _ in held]
        stored = [one.stored if isinstance(one, Repeatable) else one for one in runs]
        for name, one in zip((old, new), stored, strict=True):
            if not one.records:
                raise InputError(f"{name} holds no scores of records")
        scores = [recorded_scores(one) for one in stored]
        if isinstance(runs[0], Repeatable) and isinstance(runs[1], Repeatable) and _is_one_kind(runs):
            return _by_specs(runs[0], runs[1], (scores[0], scores[1]), how)
        found = _by_programs(*stored)
        verdict = MovesJudged(())
        moved = movement_data(scores[0], scores[1], Attribution((), False, 0), {}, verdict, how.worst)
        recorded = [f"{name}: {why}" for name, (_, why) in zip((old, new), held, strict=True) if why]
        about = {"old": _about(stored[0]), "new": _about(stored[1])}
        return {**found, **about, "movement": moved, "recorded": recorded}


def _by_programs(old: StoredRun, new: StoredRun) -> dict[str, Any]:
    try:
        return programs_changed(_program(old), _program(new))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = " ".join(str(error).split())[:100]
        raise InputError(f"the manifests of {old.name} and {new.name} hold no programs of runs ({why})") from None


def recorded_scores(stored: StoredRun) -> ScoredData:
    """What a run recorded of its records, and its figures."""
    records = {key: _recorded(line) for key, line in stored.records.items()}
    listed = stored.summary.get("metrics")
    held = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    return ScoredData(records, {str(one.get("metric")): _number(one.get("value")) for one in held})


def _recorded(line: Mapping[str, Any]) -> RecordScore:
    fields = {
        str(name): (str(held.get("status")), _number(held.get("score")))
        for name, held in (line.get("fields") or {}).items()
        if isinstance(held, Mapping)
    }
    names, values = tuple(fields), tuple(fields.values())
    return str(line.get("status")), _number(line.get("score")), line.get("passed"), names, values


def _number(value: Any) -> float | None:
    """A score as it was recorded; whatever else stands there is none."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _run(name: str, stack: ExitStack) -> tuple[Repeatable | StoredRun, str]:
    """A run with its spec and its data where they are what they were; else what it recorded, and why."""
    try:
        found = stack.enter_context(prepared(name))
    except SpecError as error:
        return read_run(name), error.diagnostics[0].message
    except InputsGone as error:
        return read_run(name), "; ".join(error.changed)
    except InputError as error:
        if name.endswith(".zip"):
            raise
        return read_run(name), str(error)
    # A pack beside the spec may be another one by now, or a primitive may have another revision.
    meant = (found.stored.manifest.get("spec") or {}).get("meaning")
    target = found.opened.target
    recipe = target.recipe if isinstance(target, Suite) else target.parts.recipe
    return (found, "") if meant == recipe.digest else (found.stored, "its spec means something else by now")


def _is_one_kind(runs: Sequence[Any]) -> bool:
    return bool(runs[0].opened.kind == runs[1].opened.kind)


def _by_specs(
    old: Repeatable, new: Repeatable, scores: tuple[ScoredData, ScoredData], how: AskedOfSpecs
) -> dict[str, Any]:
    between, verdict, score = _compared(old, new, how)
    shown = [old.stored.name, new.stored.name]
    found = diff_data(between, verdict, shown, how.everything)
    return {**found, "movement": _moved(old, new, between, verdict, score, scores, how)}


def _compared(old: Repeatable, new: Repeatable, how: AskedOfSpecs) -> tuple[AnyBetween, MovesJudged, ScoreVersion]:
    again = _with_data(new, how)
    one, other = old.opened.target, new.opened.target
    if isinstance(one, Suite) and isinstance(other, Suite):
        return compared_suites(one, other, BetweenSpecs.of(_files(one), _files(other)), again)
    between = BetweenSpecs.of(_files(one), _files(other))
    verdict = judged(between)
    return between, verdict, score_versions(between, verdict, again)


def _files(target: Any) -> SpecFiles:
    if isinstance(target, Suite):
        from scoring.format.bundle import BundleLoader

        loader = BundleLoader(target.bundle)
        return SpecFiles.of(loader.spec(), loader)
    return SpecFiles.of(target.parts.loaded, target.parts.loader)


def _with_data(run: Repeatable, how: AskedOfSpecs) -> AskedOfSpecs:
    return AskedOfSpecs(run.given, how.worst, how.scorings, how.everything, {**how.options, "judge": run.judge})


def _moved(
    old: Repeatable,
    new: Repeatable,
    between: AnyBetween,
    verdict: MovesJudged,
    score: ScoreVersion,
    scores: tuple[ScoredData, ScoredData],
    how: AskedOfSpecs,
) -> dict[str, Any]:
    """How the recorded scores moved; which change does what is found out on the data where both runs had the same."""
    if _data(old.stored) == _data(new.stored) and not old.parts and not new.parts:
        return movement(between, verdict, score, _with_data(new, how), scores)
    return movement_data(*scores, Attribution((), False, 0), {}, verdict, how.worst)


def _data(run: StoredRun) -> Any:
    """The digests of what a run scored, and how much of it."""
    roles = ("records", "predictions", "references", "groundtruth")
    held = sorted((str(one["role"]), str(one["sha256"])) for one in run.manifest["inputs"] if one["role"] in roles)
    return held, run.manifest["settings"].get("limit")


def _program(run: StoredRun) -> Mapping[str, Any]:
    spec = run.manifest.get("spec") or {}
    program = spec.get("program")
    if not isinstance(program, Mapping):
        raise InputError(f"{run.name} does not say what it was scored by: its spec is gone, and its manifest has none")
    return program


def _about(run: StoredRun) -> dict[str, Any]:
    name, _, version = run.signature.parts["task"].rpartition("@")
    version = "" if version == "0" else version  # which stands for none
    return {
        "shown": run.name,
        "name": name,
        "version": version,
        "kind": "suite" if run.manifest.get("suite") else "task",
    }
