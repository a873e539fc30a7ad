"""The settings with which a studio is opened."""

from __future__ import annotations

from msgspec import Struct

from scoring.api.sources import GivenData


class StudioSettings(Struct, frozen=True):
    """The settings with which a studio is opened.

    Args:
        spec: The path of the spec's file.
        data: The path of the records, of a data set of images that of the predictions; None for those that it names.
        references: The path of the references that are joined to them by id; None if there are none.
        limit: The most records that are held, of a suite of each task.
        beside: The path of a second spec, or the folder of a run; None if there is none.
        input_format: The format of the data.
        reference_format: The format of the references.
    """

    spec: str
    data: str | None
    references: str | None = None
    limit: int = 100_000
    beside: str | None = None
    input_format: str | None = None
    reference_format: str | None = None

    def given(self) -> GivenData:
        """Return the data, not yet opened."""
        return GivenData(self.data, self.references, self.input_format, reference_format=self.reference_format)
