"""`eval.yaml`, in which a data set on Hugging Face says how Inspect evaluates models on it.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/_eval/task/hf.py; Hugging Face, hub-docs, eval-results.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostics, SpecError
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.extensions.hosts.task_files.graders import grader_of
from scoring.extensions.hosts.task_files.keys import (
    ARGUMENTS,
    FIELD_SPEC,
    FILE,
    SCORER,
    SOLVER,
    SOLVERS,
    TASK,
    check_keys,
)
from scoring.extensions.hosts.task_files.rules import rule_of
from scoring.extensions.other_tools.task_files import MadeSpec, TaskFile
from scoring.format.nodes import SpecNode
from scoring.lazy_pattern import lazy_pattern

_MOST_SHOWN = 60
_UNMOVED = "(?:max|mean)"
_ONLY_MEANS = lazy_pattern(_UNMOVED)


def _recognises(node: SpecNode) -> bool:
    tasks = node.get("tasks")
    return "evaluation_framework" in node or (tasks is not None and any("scorers" in one for one in tasks.items))


def _convert(node: SpecNode, name: str) -> list[MadeSpec]:
    """Return the specs of the tasks in a file.

    Raises:
        SpecError: where a key or a value is unknown or missing, with all such places.
    """
    found = Diagnostics()
    check_keys(node, FILE, found, "the file")
    tasks = node["tasks"].items if "tasks" in node else []
    _check_tasks(node, tasks, found)
    found.raise_errors()
    idle = tuple(f"{key}: {_brief(node[key])}" for key in ("name", "evaluation_framework") if key in node)
    ids = [_text(task.get("id")) for task in tasks]
    names = [name if len(tasks) == 1 else f"{name}/{id}" for id in ids]
    return [_made(task, id, own, idle) for task, id, own in zip(tasks, ids, names, strict=True)]


def _check_tasks(node: SpecNode, tasks: Sequence[SpecNode], found: Diagnostics) -> None:
    if not tasks and not found.has_errors:
        found.error("missing-key", "the file has no tasks", node["tasks"].span, help="name at least one under `tasks`")
    seen: set[str] = set()
    for task in tasks:
        check_keys(task, TASK, found, "a task")
        id = _text(task.get("id"))
        place = task["id"].span if "id" in task else task.span
        if len(tasks) > 1 and not id:
            found.error(
                "missing-key", "a task has no `id`, which each of several needs", place, help="write `id: NAME`"
            )
        elif id in seen:
            found.error("repeated-item", f"two tasks have the id {shown(id)}", place, help="give each an id of its own")
        seen.add(id)
        if "field_spec" in task:
            check_keys(task["field_spec"], FIELD_SPEC, found, "field_spec")
        for part, allowed in (("solvers", SOLVER), ("scorers", SCORER)):
            for one in task[part].items if part in task else ():
                check_keys(one, allowed, found, f"an entry of {part}")
                _check_named(one, part, found)


def _check_named(one: SpecNode, part: str, found: Diagnostics) -> None:
    """Check the name of a solver or scorer, and the arguments of a scorer."""
    known: Iterable[str] = ARGUMENTS if part == "scorers" else SOLVERS
    if "name" not in one or not one["name"].is_text:
        return
    name = _text(one["name"])
    if name not in known:
        near = did_you_mean(name, known)
        advice = [*([near] if near else []), f"{part}: {listed(known, 'and')}"]
        message = f"Inspect takes no {part.removesuffix('s')} {shown(name)} in this file"
        found.error("unknown-value", message, one["name"].span, help=advice)
    elif part == "scorers":
        arguments = one.get("args")
        if arguments is not None:
            check_keys(arguments, ARGUMENTS[name], found, f"the arguments of {name}")
        elif needed := [key for key, kind in ARGUMENTS[name].items() if kind.is_needed]:
            found.error(
                "missing-key", f"{name} has no `{needed[0]}`", one.span, help=f"write `args: {{{needed[0]}: …}}`"
            )


def _made(task: SpecNode, id: str, name: str, idle: tuple[str, ...]) -> MadeSpec:
    """Return the spec of one task."""
    solvers = [(_text(one["name"]), one.get("args")) for one in task["solvers"]]
    chooser = next((args for one, args in solvers if one == "multiple_choice"), None)
    scorers = [(_text(one["name"]), one) for one in task["scorers"]]
    if repeated := [one for at, (one, _) in enumerate(scorers) if one in [other for other, _ in scorers[:at]]]:
        places = [node for one, node in scorers if one == repeated[0]]
        raise SpecError.of(
            "repeated-item",
            f"the scorer {repeated[0]} stands twice, and each is a field of its name here",
            places[1].span,
            help="convert the file once with each of them",
        )
    spec: dict[str, Any] = {"kind": "task", "name": name, "version": "1.0.0"}
    packs: dict[str, Mapping[str, Any]] = {}
    lost = [*_lost_of_task(task, [one for one, _ in scorers], [one for one, _ in solvers])]
    fields: dict[str, Any] = {}
    transforms: dict[str, str] = {}
    has_judge = any(one.startswith("model_graded") for one, _ in scorers)
    for scorer, node in scorers:
        args = {key: value.plain() for key, value in node["args"].entries.items()} if "args" in node else {}
        try:
            if scorer.startswith("model_graded"):
                grader = grader_of(scorer, args)
                packs[f"{scorer}"] = grader.pack
                spec.setdefault("imports", {})[scorer] = f"./{{file}}-{scorer}.yaml"
                spec["record"] = {**spec.get("record", {}), **grader.record}
                spec.setdefault("values", {})[f"grade_{scorer}"] = grader.grade
                bounded = "grade_{}" if args.get("grade_pattern") else "clip(grade_{}, 0, 1)"
                fields[scorer] = {"score": bounded.format(scorer)}
                lost += grader.lost
            else:
                is_multiple = (
                    chooser is not None
                    and bool(chooser.get("multiple_correct"))
                    and (chooser["multiple_correct"].value is True)
                )
                rule = rule_of(scorer, args, is_multiple=is_multiple)
                fields[scorer] = {"score": f"attempt({rule.score})" if has_judge else rule.score}
                transforms |= rule.transforms
                lost += rule.lost
        except ValueError as error:
            place = node["args"].span if "args" in node else node.span
            raise SpecError.of("bad-value", f"{scorer} can't be read: {error}", place) from None
    return MadeSpec(
        id, _assembled(spec, fields, transforms, task, has_judge), packs, (*idle, *_idle_of(task)), tuple(lost)
    )


def _assembled(
    spec: dict[str, Any], fields: dict[str, Any], transforms: dict[str, str], task: SpecNode, has_judge: bool
) -> dict[str, Any]:
    if not has_judge:
        spec["on_unparsed"] = "zero"
    if transforms:
        spec["transforms"] = transforms
    first = next(iter(fields))
    if len(fields) == 1 and not has_judge:
        spec["score"] = fields[first]["score"]
    else:
        spec["fields"] = {one: {**entry, **({} if one == first else {"weight": 0})} for one, entry in fields.items()}
    spec["metrics"] = _metrics(task)
    return spec


def _metrics(task: SpecNode) -> list[Any]:
    """Return the metrics of a task: of several epochs, the figure that their reducer makes, if it is the greatest."""
    if _epochs(task) > 1 and _text(task.get("epoch_reducer")) == "max":
        return [{"max": "mean(per(record.sample_id, max(score)))"}, "mean"]
    return ["mean"]


def _epochs(task: SpecNode) -> int:
    return int(str(task["epochs"].value)) if "epochs" in task else 1


def _lost_of_task(task: SpecNode, scorers: Sequence[str], solvers: Sequence[str]) -> Iterable[str]:
    """Yield what is lost of a task, whatever its scorers."""
    if len(scorers) > 1:
        yield f"the figure is that of {scorers[0]}; the others have theirs among the fields, with weight 0"
    if "choice" in scorers and "multiple_choice" not in solvers:
        yield "choice: no solver here asks for a choice, so Inspect counts every sample wrong; here answers are read"
    yield "a sample without a target or without any output is unscored; Inspect compares an empty text"
    reducer = _text(task.get("epoch_reducer"))
    if _epochs(task) > 1 and reducer not in ("", "mean", "max"):
        yield f"epoch_reducer: {reducer}: figures are over the samples of all epochs, each of which counts"


def _idle_of(task: SpecNode) -> Iterable[str]:
    """Yield the keys of a task that say what is asked, and not how it is scored."""
    for key in ("config", "split", "shuffle_choices"):
        if key in task:
            yield f"{key}: {_brief(task[key])}"
    for key, value in task["field_spec"].entries.items():
        yield f"field_spec.{key}: {_brief(value)}"
    for solver in task["solvers"]:
        arguments = solver["args"].entries if "args" in solver else {}
        said = [key for key in arguments if key != "multiple_correct"]
        yield f"solver {_text(solver['name'])}" + (f" ({listed(said, 'and')})" if said else "")
    if "epochs" in task:
        yield f"epochs: {_epochs(task)}: a log has a record for each sample of each"
    if "epoch_reducer" in task and _epochs(task) == 1:
        yield f"epoch_reducer: {_text(task['epoch_reducer'])}: there is one epoch"


def _text(node: SpecNode | None) -> str:
    return str(node.value) if node is not None and node.is_text else ""


def _brief(node: SpecNode) -> str:
    """Return a plain value on one line, cut if it is long."""
    value = node.plain()
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


TASK_FILE = TaskFile(
    "eval.yaml of Hugging Face", "it has no `evaluation_framework`, and no tasks with `scorers`", _recognises, _convert
)
