"""The task of a finished run, compiled from the texts in its folder.

No path in them is opened. Run folders may come from anywhere, so each text is checked against its digest, and the
amount of work is limited before any is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scoring.compiler.tasks.serialize import task_of
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_read import NotJson, parse
from scoring.engine.runs.folder import MOST_TEXTS, TEXTS
from scoring.engine.runs.texts import FORMAT
from scoring.errors import InputError
from scoring.format.bundle import Bundle, BundleLoader, text_digest
from scoring.format.model import TaskSpec
from scoring.registry.spec_kind import CompiledFile, spec_kind


def target_of(content: bytes, results: Path | None) -> tuple[CompiledTask | CompiledFile, str]:
    """Return the task (or suite, which joins tasks) compiled from the texts file of a run, and the text of its spec.

    Its meaning is that of the installed release, which may differ from the run's.

    Args:
        content: The content of the texts file.
        results: Path of the task results from which a suite is computed; None for any other run.

    Raises:
        InputError: when it is not a texts file, was changed by hand, or would take too long to compile.
        SpecError: when a spec in it does not compile with the installed release.
    """
    try:
        data = parse(content)
        if data["scoring_texts"] != FORMAT:
            raise ValueError(f"its format is {data['scoring_texts']!r:.20}; this version reads {FORMAT}")
        texts = data["texts"]
        odd = next((name for name, text in texts.items() if text_digest(text) != name), None)
        if odd is not None:
            raise ValueError(f"a text is not the one whose digest is {odd:.16}")
        spec = Bundle.joined(data["spec"], texts)
        tasks = [
            (str(one["name"]), Bundle.joined(one["bundle"], texts), dict(one["attributes"]), dict(one["shared"]))
            for one in data.get("tasks", ())
        ]
        table = data.get("table")
        if table is not None and not all(isinstance(one, Mapping) for one in table.values()):
            raise TypeError("attributes that are none")
    except (TypeError, AttributeError):
        raise InputError(
            f"{TEXTS} is not one of a run: something in it has an unexpected type; score the run again"
        ) from None
    except (NotJson, KeyError, ValueError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise InputError(f"{TEXTS} is not one of a run: {why:.200}; score the run again") from None
    _check_work([spec, *(bundle for _, bundle, *_ in tasks)])
    if "tasks" not in data:
        return task_of(spec), spec.files[0].text
    model = BundleLoader(spec).spec().spec
    if isinstance(model, TaskSpec):
        raise InputError(f"this bundle is of the task `{model.name}`, but it has tasks of its own")
    return spec_kind(model.kind).unpack(spec, tasks, table, results), spec.files[0].text


def _check_work(bundles: list[Bundle]) -> None:
    """Raise InputError if the texts in bundles import each other so often that compiling them would take too long."""
    shared, count = set[str](), 0
    for bundle in bundles:
        for number, one in enumerate(bundle.files):
            if one.imports or not number:
                count += len(one.text)
            elif one.text not in shared:  # it is loaded only once, however many files import it
                shared.add(one.text)
                count += len(one.text)
        if count > MOST_TEXTS:
            raise InputError(
                f"{TEXTS} is not one of a run: it repeats its texts so often that {MOST_TEXTS:,} characters are read"
            )
