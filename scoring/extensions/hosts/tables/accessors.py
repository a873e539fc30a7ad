"""The attribute ``scoring`` of data frames of pandas and polars."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.tables.verbs import add_scores

_NAME = "scoring"


class FrameScoring:
    """The scores of a data frame, as ``frame.scoring``.

    Args:
        frame: The frame.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def score(
        self,
        spec: SpecSource | Task,
        *,
        response: str | None = None,
        reference: str | None = None,
        context: str | None = None,
        id: str | None = None,
        references_as: ReferencesAs = "values",
        prefix: str = "",
    ) -> Any:
        """Return the frame with the scores of its rows; see `scoring.tables.add_scores`.

        Args:
            spec: A task, the path of its file, or its content as plain data.
            response: The name of the column of responses; by default the task's ``record:`` says where a row has its
                parts.
            reference: The name of the column of references.
            context: The name of the column of contexts.
            id: The name of the column of ids.
            references_as: ``json`` if the references are JSON texts.
            prefix: What the names of the new columns begin with.

        Raises:
            InputError: when a column is missing, a new one has the name of another one, or references have values of
                several types that an engine converted to text.
            SpecError: when the spec is invalid.
        """
        return add_scores(
            self._frame,
            spec,
            response=response,
            reference=reference,
            context=context,
            id=id,
            references_as=references_as,
            prefix=prefix,
        )


def register_accessors() -> None:
    """Give the data frames of pandas and polars, as far as these are installed, the attribute ``scoring``."""
    if find_spec("pandas") is not None:
        pandas = import_module("pandas")
        if not hasattr(pandas.DataFrame, _NAME):
            pandas.api.extensions.register_dataframe_accessor(_NAME)(FrameScoring)
    if find_spec("polars") is not None:
        polars = import_module("polars")
        if not hasattr(polars.DataFrame, _NAME):
            polars.api.register_dataframe_namespace(_NAME)(FrameScoring)
            polars.api.register_lazyframe_namespace(_NAME)(FrameScoring)
