"""Tasks of lighteval that score by specs: one for each case in the folder LIGHTEVAL_CASES."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from scoring.extensions.hosts.modules.lighteval import spec_metric

FOLDER = Path(os.environ["LIGHTEVAL_CASES"])


def prompt(row: dict[str, Any], task_name: str) -> Any:
    own = {**json.loads(row["record"]), "reference": row["reference"]}
    return Doc(task_name=task_name, query=row["id"], choices=[], gold_index=[], specific=own)


TASKS_TABLE = [
    LightevalTaskConfig(
        name=folder.name,
        prompt_function=prompt,
        hf_repo=str(folder),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[spec_metric(FOLDER / f"{folder.name}.yaml", references_as="json")],
    )
    for folder in sorted(FOLDER.glob("*/"))
    if (folder / "test.jsonl").is_file()
]
