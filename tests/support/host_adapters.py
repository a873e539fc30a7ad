"""Each adapter called as its host calls it, with one answer of each outcome; hosts that own a class are stand-ins."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import scoring
from scoring.errors import InputError
from scoring.extensions.columns.stated import KEY
from scoring.extensions.hosts.exports.exporting import export
from scoring.extensions.hosts.modules.evalscope import NAME, spec_entry
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.lighteval import SpecScorer
from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from scoring.extensions.hosts.modules.vlmevalkit import evaluate_predictions
from scoring.extensions.hosts.rewards.verifiers import TraceReward
from scoring.extensions.serving.answering import answering_rows
from scoring.extensions.serving.endpoints import ENDPOINTS
from scoring.extensions.serving.reading import Rejected, RequestQuery
from tests.support import stand_ins
from tests.support.host_logs import LOG_FORMS, written_back
from tests.support.host_outcomes import HostRun, given
from tests.support.workbooks import workbook


def _rows(golds: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"reference": gold} for gold in golds]


def _at(columns: Mapping[str, Sequence[Any]], place: int) -> dict[str, Any]:
    return {name: column[place] for name, column in columns.items()}


# ---- modules of harnesses


def _lm_eval(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task.spec_file = folder / "spec.json"
        return []


def _lighteval(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    scorer = SpecScorer(HostTask(task), "values")
    held = []
    for one, row in zip(said, _rows(golds), strict=True):
        texts = [] if one is None else [one]
        found = scorer.compute(SimpleNamespace(specific=row, choices=[]), SimpleNamespace(final_text=texts))
        held.append(dict(found["scoring"]))
    return held
