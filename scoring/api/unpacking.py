"""Bundles of runs, unpacked: the run, its compiled spec, its data and the replies that its judge gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scoring.api.judge_cache import import_calls
from scoring.api.judges import JudgeOptions
from scoring.api.opening import Opened
from scoring.compiler.travel import task_from_bytes
from scoring.data.rows.row import InputError
from scoring.data.strict_json import canonical
from scoring.engine.runs.bundle import is_bundle as is_bundle
from scoring.engine.runs.bundle import unpacked_bundle
from scoring.engine.runs.read import StoredRun, read_run

RUN, SPEC, JUDGE, LOCK = "run", "spec", "judge.jsonl", "lock.json"
"""Where a bundle has the folder of the run, the texts of specs, the replies of its judge and the lock."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What a bundle holds.

    Args:
        stored: The run.
        opened: Its spec, compiled.
        judge: How its judge is asked again: from the replies in the bundle, and never by a network.
        moved: Where files are now that the spec named, and those of single parts, by their recorded names.
        given: Where ``data`` and ``references`` are now.
    """

    stored: StoredRun
    opened: Opened
    judge: JudgeOptions
    moved: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def unpacked(bundle: str | Path) -> Iterator[Unpacked]:
    """What a bundle holds, in a folder that is there as long as it is needed.

    Raises:
        InputError: for what is no bundle, was changed on its way, is made to do harm, or means something else here.
        SpecError: when a spec in it is not in order.
    """
    with unpacked_bundle(bundle) as (folder, head):
        stored = replace(read_run(str(folder / RUN)), name=str(bundle))
        try:
            moved = {str(name): str(folder / _inside(head, place)) for name, place in dict(head["moved"]).items()}
            given = {str(name): str(folder / _inside(head, place)) for name, place in dict(head["given"]).items()}
            opened = _opened(folder, head, stored, moved)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = " ".join(str(error).split())[:100]
            raise InputError(f"{bundle} is no bundle of a run: its bundle.json lacks something ({why})") from None
        yield Unpacked(stored, opened, _judge(folder, stored), moved, given)


def _inside(head: Mapping[str, Any], place: str) -> str:
    """A member, or a folder of members."""
    if place not in head["members"] and not any(name.startswith(f"{place}/") for name in head["members"]):
        raise ValueError(f"{place} is not in it")
    return place


def _opened(folder: Path, head: Mapping[str, Any], stored: StoredRun, moved: Mapping[str, str]) -> Opened:
    held = head["spec"]
    target = _suite(folder, head, moved) if "tasks" in held else task_from_bytes(_bundle(folder, head, held["bundle"]))
    settings = stored.manifest["settings"]
    return Opened(
        target.seeded(stored.manifest["seed"]), dialect=settings.get("dialect"), by=tuple(settings.get("by") or ())
    )


def _suite(folder: Path, head: Mapping[str, Any], moved: Mapping[str, str]) -> Any:
    from scoring.engine.suite.compile import PackedSuite

    held = head["spec"]
    tasks = [
        (str(one["name"]), _bundle(folder, head, one["bundle"]), dict(one["attributes"]), dict(one["shared"]))
        for one in held["tasks"]
    ]
    table = held["table"]
    if table is not None and not all(isinstance(one, dict) for one in table.values()):
        raise TypeError("attributes that are none")
    results = None if held["results"] is None else Path(moved[str(held["results"])])
    return PackedSuite(_bundle(folder, head, held["bundle"]), tuple(tasks), table, results, (), 0).suite()


def _bundle(folder: Path, head: Mapping[str, Any], held: Mapping[str, Any]) -> bytes:
    """A spec with its packs as it was packed, its texts put back."""
    files = [{**one, "text": _text(folder, head, one["text"])} for one in held["files"]]
    return canonical({**held, "files": files}).encode()


def _text(folder: Path, head: Mapping[str, Any], name: str) -> str:
    if name not in head["members"]:
        raise ValueError(f"{name} is not in it")
    return (folder / name).read_bytes().decode("utf-8", "surrogatepass")


def _judge(folder: Path, stored: StoredRun) -> JudgeOptions:
    calls = folder / JUDGE
    if not calls.is_file():
        # Whoever made the bundle must not make others pay for calls, nor get what their key gets.
        asks = stored.manifest["settings"].get("judge") is not None
        return JudgeOptions(replay=True, cache=str(calls)) if asks else JudgeOptions()
    cache = folder / "judge.sqlite"
    import_calls(cache, calls)
    settings = dict(stored.manifest["settings"])
    return JudgeOptions.again({**settings, "judge": {**settings["judge"], "cache": str(cache)}})
