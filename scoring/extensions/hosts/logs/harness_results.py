"""The file of results that lm-evaluation-harness writes beside its samples, with our figures among the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_write import dumps_pretty
from scoring.extensions.hosts.logs.log import Verdicts, json_document
from scoring.lazy_pattern import lazy_pattern

_SAMPLES = lazy_pattern(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+?)\.jsonl")
_HIGHER = {"higher": True, "lower": False}


def write_figures(samples: Path, filter_name: str, verdicts: Verdicts, out: Path) -> None:
    """Write a copy of the results that belong to a file of samples, with the figures of the run, beside ``out``.

    It is written where there are such results, and ``out`` is in another folder than they are. The figures of other
    tasks in a copy that is already there are kept.

    Args:
        samples: The file of samples.
        filter_name: The filter whose lines were scored.
        verdicts: The results of the run.
        out: The file of samples with their scores.
    """
    named = _SAMPLES.fullmatch(samples.name)
    if named is None or out.parent.resolve() == samples.parent.resolve():
        return
    source = samples.with_name(f"results_{named['date']}.json")
    copy = out.with_name(source.name)
    if not source.is_file():
        return
    results = json_document(InputFile(str(copy if copy.is_file() else source), kind="json"))
    own = _inside(_inside(results, "results"), named["task"])
    if own is None:
        return
    directions = results.setdefault("higher_is_better", {}).setdefault(named["task"], {})
    for name, value, higher in _figures(verdicts):
        own[f"scoring_{name},{filter_name}"], own[f"scoring_{name}_stderr,{filter_name}"] = value, "N/A"
        directions[f"scoring_{name}"] = higher
    about = {"task": verdicts.task, "version": verdicts.version, "meaning": verdicts.meaning}
    results.setdefault("scoring", {})[named["task"]] = {**about, "metrics": list(verdicts.metrics)}
    copy.write_text(dumps_pretty(results), encoding="utf-8")


def _inside(value: Any, name: str) -> dict[str, Any] | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else None


def _figures(verdicts: Verdicts) -> list[tuple[str, float | None, bool | None]]:
    """Return the name of each figure as the harness may have it, its value, and whether higher values are better."""
    found: list[tuple[str, Any, bool | None]] = []
    for entry in verdicts.metrics:
        name, higher = str(entry["metric"]).replace(",", ";"), _HIGHER.get(str(entry.get("better", "higher")))
        low, high = entry.get("interval") or (None, None)
        found += [(name, entry["value"], higher)]
        found += [(f"{name}_low", low, higher), (f"{name}_high", high, higher)] if low is not None else []
    size = len(verdicts.results)
    for status in ("unparsed", "unscored"):
        count = sum(one.status == status or (status == "unparsed" and not one.parsed_ok) for one in verdicts.results)
        found.append((f"{status}_rate", count / size if size else None, False))
    return found
