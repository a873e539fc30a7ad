"""Conversion of compiled tasks to bytes and back, without their files; pickle, cloudpickle and deepcopy use it, too."""

from __future__ import annotations

import copyreg

from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.errors import InputError
from scoring.format.bundle import Bundle, BundleLoader, LoadedPacks, bundle_of
from scoring.format.model import TaskSpec


def task_to_bytes(task: CompiledTask) -> bytes:
    """Return the bundle of a task as bytes; see `scoring.format.bundle`."""
    return bundle_of_task(task).to_bytes()


def bundle_of_task(task: CompiledTask) -> Bundle:
    """Return the bundle of a task: the texts from which it was compiled, and its options."""
    parts = task.parts
    return bundle_of(parts.loaded, parts.loader, seed=task.seed, meaning=parts.recipe.digest)


def task_from_bytes(data: bytes) -> CompiledTask:
    """Return the task of a bundle, after checking that it has the same meaning as where it was packed.

    Raises:
        InputError: for bytes that are not a bundle, or whose meaning differs here, as with other primitives.
        SpecError: when a spec in the bundle has errors.
    """
    bundle = Bundle.from_bytes(data)
    task = task_of(bundle)
    check_meaning(task.name, task.parts.recipe.digest, bundle)
    return task


def task_of(bundle: Bundle, packs: LoadedPacks | None = None) -> CompiledTask:
    """Compile the task of a bundle, without checking that its meaning is unchanged.

    Args:
        bundle: The bundle.
        packs: A cache of loaded packs that several loaders share, see `BundleLoader`.

    Raises:
        InputError: when the bundle contains no task.
        SpecError: when a spec in the bundle has errors.
    """
    loader = BundleLoader(bundle, packs)
    loaded = loader.spec()
    if not isinstance(loaded.spec, TaskSpec):
        raise InputError(f"this bundle contains the {loaded.spec.kind} `{loaded.spec.name}`, but a task is expected")
    return compile_task(loaded, loader)[0].seeded(bundle.seed)


def check_meaning(name: str, here: str, bundle: Bundle) -> None:
    """Check that ``here``, the meaning of the compiled task ``name``, is that with which its bundle was packed.

    Raises:
        InputError: when the meanings differ; the message has both digests.
    """
    if here != bundle.meaning:
        raise InputError(
            f"{name} means {here[:16]} here and {bundle.meaning[:16]} where it was packed: "
            "use the releases of scoring and its plug-ins that packed it, or pack the task here"
        )


# A program is closures, which no pickle can hold: a task travels as what it is compiled from.
copyreg.pickle(CompiledTask, lambda task: (task_from_bytes, (task_to_bytes(task),)))
