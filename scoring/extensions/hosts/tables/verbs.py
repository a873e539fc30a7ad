"""The public functions for tables: scores as more columns of a table, and as a function for batches of a data set."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal, Self

from scoring.api.arguments import verb
from scoring.api.opening import SpecSource
from scoring.api.tasks import Task
from scoring.data.file_format import require
from scoring.data.rows.memory import is_of_library
from scoring.extensions.columns.stated import statement_of
from scoring.extensions.hosts.given import given_task
from scoring.extensions.hosts.tables.added import added_kinds, added_values
from scoring.extensions.hosts.tables.forms import table_of
from scoring.extensions.hosts.tables.parts import RowParts, RowScorer


@verb
def add_scores(
    table: Any,
    spec: SpecSource | Task,
    *,
    response: str | None = None,
    reference: str | None = None,
    context: str | None = None,
    id: str | None = None,
    references_as: Literal["values", "json"] = "values",
    prefix: str = "",
) -> Any:
    """Score each row of a table, and return the table with the columns ``score``, ``status``, ``reason``, ``passed``,
    and one for the score of each field.

    A row without a score has null or NaN, never 0. The column of a field is called ``field.NAME`` if another column
    has the field's name. The task and the ``meaning`` of the scores are in ``attrs["scoring"]`` of a frame of pandas,
    in the metadata of Arrow's columns of numbers, and in the description of a data set; polars has no place for them.

    Args:
        table: A data frame of pandas or polars, also a lazy one, an Arrow table, a data set of Hugging Face, or a
            mapping of columns, of which the new ones alone are returned.
        spec: A task, the path of its file, or its content as plain data.
        response: The name of the column of responses; by default the task's ``record:`` says where a row has its parts.
        reference: The name of the column of references.
        context: The name of the column of contexts.
        id: The name of the column of ids.
        references_as: ``json`` if the references are JSON texts.
        prefix: What the names of the new columns begin with.

    Raises:
        InputError: when a column is missing, a new one has the name of another one, or references have values of
            several types that an engine converted to text.
        SpecError: when the spec is invalid.

    Examples:
        >>> task = {"kind": "task", "name": "t", "score": "lower | equal"}
        >>> found = add_scores(
        ...     {"answer": ["Rome", None], "gold": ["rome", "rome"]}, task, response="answer", reference="gold"
        ... )
        >>> found["score"], found["reason"]
        ([1.0, None], [None, 'the record has no response'])
    """
    parts = RowParts(response, reference, context, id, references_as)
    scorer = BatchScorer(given_task(spec), parts, prefix)
    if is_of_library(table, "polars", "LazyFrame"):
        known = table.collect_schema()
        schema = {**known, **scorer.polars_types(known)}
        # What comes after it may want fewer columns than it reads, and those that it makes.
        return table.map_batches(scorer, schema=schema, projection_pushdown=False, predicate_pushdown=False)
    if is_of_library(table, "datasets", "Dataset") or is_of_library(table, "datasets", "IterableDataset"):
        features = scorer.features(table.features) if table.features else None
        return scorer.described(table.map(scorer, batched=True, features=features))
    return scorer(table)


@verb
def batch_scorer(
    spec: SpecSource | Task,
    *,
    response: str | None = None,
    reference: str | None = None,
    context: str | None = None,
    id: str | None = None,
    references_as: Literal["values", "json"] = "values",
    prefix: str = "",
) -> BatchScorer:
    """Return a function that scores a batch of columns, for `Dataset.map` with ``batched=True``; the arguments are
    those of `add_scores`.

    Args:
        spec: A task, the path of its file, or its content as plain data.
        response: The name of the column of responses.
        reference: The name of the column of references.
        context: The name of the column of contexts.
        id: The name of the column of ids.
        references_as: ``json`` if the references are JSON texts.
        prefix: What the names of the new columns begin with.

    Raises:
        SpecError: when the spec is invalid.
    """
    return BatchScorer(given_task(spec), RowParts(response, reference, context, id, references_as), prefix)


class BatchScorer:
    """A function that scores tables, or batches of one table, and can be sent to other processes.

    Args:
        task: The task that scores.
        parts: The columns of the parts of records.
        prefix: What the names of the new columns begin with.
    """

    def __init__(self, task: Task, parts: RowParts, prefix: str) -> None:
        self._task, self._parts, self._prefix = task, parts, prefix
        self._scorers: dict[tuple[str, ...], RowScorer] = {}

    def __reduce__(self) -> tuple[type[Self], tuple[Task, RowParts, str]]:
        return type(self), (self._task, self._parts, self._prefix)

    def __call__(self, table: Any) -> Any:
        """Return a table with more columns; of a mapping the new ones alone, as `Dataset.map` wants them.

        Raises:
            InputError: when a column is missing, or references have values of several types that were converted to
                text, in this batch or together with those before.
        """
        found = table_of(table)
        names = tuple(found.names)
        if names not in self._scorers:
            self._scorers[names] = RowScorer(self._task, self._parts, names)
        scorer, kinds = self._scorers[names], added_kinds(self._task.field_names, names, self._prefix)
        values = added_values(scorer.score({name: found.values(name) for name in scorer.columns}))
        added = {name: (kinds[name], one) for name, one in zip(kinds, values, strict=True)}
        return found.extended(added, self._statement)

    @cached_property
    def _statement(self) -> dict[str, str]:
        return statement_of(self._task)

    def features(self, known: Any, *, only_new: bool = False) -> Any:
        """Return the types of all columns as `Features` of Hugging Face, for `Dataset.map`, which otherwise takes them
        from the first batch, where a column may have no value.

        Args:
            known: The features of the data set.
            only_new: Whether to leave these out, for a call that removes the columns of the data set.
        """
        library = require("the features of a data set", "datasets", "scoring-dsl[datasets]")

        types = {"number": "float64", "text": "string", "truth": "bool"}
        kinds = added_kinds(self._task.field_names, list(known), self._prefix)
        new = {name: library.Value(types[kind]) for name, kind in kinds.items()}
        return library.Features(new if only_new else {**known, **new})

    def described(self, dataset: Any) -> Any:
        """Return a data set of Hugging Face that has the new columns, whose description says what they mean."""
        about = f"{self._prefix}score: scored by {self._statement['task']}, meaning {self._statement['meaning']}"
        dataset.info.description = "\n".join(filter(None, [dataset.info.description, about]))
        return dataset

    def polars_types(self, known: Iterable[str]) -> dict[str, Any]:
        """Return the types of the new columns in polars, given the names of the table's own columns."""
        import polars

        types = {"number": polars.Float64, "text": polars.String, "truth": polars.Boolean}
        kinds = added_kinds(self._task.field_names, list(known), self._prefix)
        return {name: types[kind] for name, kind in kinds.items()}
