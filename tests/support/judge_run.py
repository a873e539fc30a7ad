"""A judged run as a program of its own, so that a test can kill it; its arguments are URL, CACHE, OUT and COUNT."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.programs.program import JudgeProgram, load_program
from scoring.extensions.judge.programs.run import run_program
from scoring.extensions.judge.protocol import Judge
from scoring.extensions.processes.threads import in_threads
from scoring.result import Outcome

PACK = Path(__file__).resolve().parents[2] / "specs" / "valor-llm" / "pack.yaml"


def judge_all(program: JudgeProgram, rows: list[dict[str, Any]], judge: Judge, *, workers: int) -> list[Outcome]:
    """The outcome for every row of inputs, in order; a row that fails is unscored, with its reason."""

    def one(inputs: dict[str, Any]) -> Outcome:
        try:
            return Outcome(run_program(program, inputs, judge).score)
        except Exception as error:
            return Outcome.of_exception(error)

    return list(in_threads(one, rows, workers))


def main(url: str, cache: str, out: str, count: int) -> None:
    section = yaml.safe_load(PACK.read_text(encoding="utf-8"))["judges"]
    settings = JudgeSettings(url, "test-model", backoff=0.002, longest_wait=0.02, retries=8, concurrency=8, timeout=120)
    client = HttpJudge(settings)
    judge = CachedJudge(JudgeCache(cache), client)
    rows = [{"response": f"Answer number {number} of the run."} for number in range(count)]
    outcomes = judge_all(load_program("bias", section), rows, judge, workers=8)
    lines = [json.dumps({"id": number, **outcome.to_json()}) for number, outcome in enumerate(outcomes)]
    unfinished = Path(out + ".part")
    unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(unfinished, out)
    Path(out + ".account").write_text(json.dumps(client.ledger.summary()), encoding="utf-8")
    judge.cache.close()
    client.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
