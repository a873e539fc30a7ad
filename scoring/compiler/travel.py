"""Compiled tasks as bytes and back, wherever their files are; pickle, cloudpickle and deepcopy take the same way."""

from __future__ import annotations

import copyreg

from scoring.compiler.compile import compile_task
from scoring.compiler.task import CompiledTask
from scoring.data.rows.row import InputError
from scoring.format.bundle import Bundle, BundleLoader, bundle_of
from scoring.format.model import TaskSpec


def task_to_bytes(task: CompiledTask) -> bytes:
    """A task as the bytes of its bundle, see `scoring.format.bundle`."""
    parts = task.parts
    return bundle_of(parts.loaded, parts.loader, seed=task.seed, meaning=parts.recipe.digest).to_bytes()


def task_from_bytes(data: bytes) -> CompiledTask:
    """The task of a bundle, which means what it meant where it was packed.

    Raises:
        InputError: for bytes that are no bundle, or that mean something else here, such as with other primitives.
        SpecError: when a spec in it is not in order.
    """
    bundle = Bundle.from_bytes(data)
    loader = BundleLoader(bundle)
    loaded = loader.spec()
    if not isinstance(loaded.spec, TaskSpec):
        raise InputError(f"this bundle is of the suite `{loaded.spec.name}`, and a task is wanted")
    task = compile_task(loaded, loader)[0].seeded(bundle.seed)
    if task.parts.recipe.digest != bundle.meaning:
        here, there = task.parts.recipe.digest[:16], bundle.meaning[:16]
        raise InputError(
            f"{task.name} means {here} here and {there} where it was packed: "
            "use the releases of scoring and its plug-ins that packed it, or pack the task here"
        )
    return task


# A program is closures, which no pickle can hold: a task travels as what it is compiled from.
copyreg.pickle(CompiledTask, lambda task: (task_from_bytes, (task_to_bytes(task),)))
