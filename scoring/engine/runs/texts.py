"""The file of a run folder with the texts that the run was compiled from, so that its task can be compiled anywhere.

It is plain JSON: each text once, under its SHA-256, and the bundles of the spec and of the tasks that it joins, which
refer to texts by digest.
"""

from __future__ import annotations

from typing import Any

from scoring.compiler.tasks.serialize import bundle_of_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.folder import MOST_TEXTS
from scoring.errors import InputError
from scoring.registry.spec_kind import CompiledFile, spec_kind

FORMAT = 1
_TASK = ("name", "bundle", "attributes", "shared")


def texts_of(target: CompiledTask | CompiledFile) -> str:
    """Return the content of the texts file of a task or a suite: the texts as compiled, even if files have changed.

    Raises:
        InputError: when it exceeds the maximum size.
    """
    texts: dict[str, str] = {}
    data: dict[str, Any] = {"scoring_texts": FORMAT}
    if isinstance(target, CompiledTask):
        data["spec"] = bundle_of_task(target).apart(texts)
    else:
        packed = spec_kind(target.spec.kind).pack(target)
        data["spec"] = packed.bundle.apart(texts)
        data["tasks"] = [dict(zip(_TASK, (one[0], one[1].apart(texts), *one[2:]), strict=True)) for one in packed.tasks]
        data["table"] = packed.table
    content = dumps_pretty({**data, "texts": texts})
    if len(content.encode()) > MOST_TEXTS:
        raise InputError(f"{target.name} has more than {MOST_TEXTS:,} bytes of texts; score parts of it")
    return content
