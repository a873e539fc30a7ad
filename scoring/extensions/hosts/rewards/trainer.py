"""What the functions of all trainers share: the rows of a batch are scored, and each result becomes a reward."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.compiler.records.record_reader import columns_of, reader
from scoring.data.plain_values import host_record
from scoring.diagnostics.words import listed
from scoring.errors import InputError
from scoring.extensions.hosts.given import given_task
from scoring.extensions.hosts.rewards.rule import RewardRule
from scoring.extensions.processes.threads import in_threads
from scoring.result import MISSING, RecordResult

ENDS: Final = (
    "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|end|>", "<|return|>", "</s>", "<eos>",
    "<end_of_turn>", "<｜end▁of▁sentence｜>", "[EOS]", "<|eom_id|>", "<pad>", "<|pad|>", "<|endofturn|>",
)  # fmt: skip
"""Tokens that end a text, of the tokenizers in use: trainers that decode them leave them at the end of an answer."""
_JUDGED_AT_ONCE = 8


class TrainerReward:
    """A function that a trainer calls for rewards; a subclass has the parameters of its trainer.

    It can be pickled, and so go to the processes in which a trainer computes rewards; there its task is compiled once.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The path of the reference in a row, if the spec's own does not lead to it.
        references_as: ``json`` if the references are given as JSON texts, as columns of one type must.
        ends: Texts that are taken off the end of an answer, as the tokens that end it.
    """

    def __init__(
        self,
        spec: SpecSource | Task,
        *,
        reference: str | None = None,
        references_as: ReferencesAs = "values",
        ends: Sequence[str] = (),
    ) -> None:
        self.task = given_task(spec)
        self.rule = RewardRule(self.task)
        self.reference, self.references_as, self.ends = reference, references_as, tuple(filter(None, ends))
        self._path = self.task.spec.parts.paths().get("reference", "reference") if reference is None else reference
        self._read_reference = self.task.parts.reader.given_reference if reference is None else reader(reference)
        read, named = self.task.columns, columns_of(self._path)
        self._keys = None if read is None or named is None else read | named
        self.__name__ = self.task.name.rpartition("/")[2]  # trainers call their figures so
        self._starting = threading.Lock()
        self._scorer: tuple[int, Any] | None = None

    @cached_property
    def meaning(self) -> str:
        """The part of the task's signature that says what its scores mean."""
        return self.task.signature.meaning

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.task.name}>"

    def __reduce__(self) -> tuple[Callable[..., TrainerReward], tuple[Any, ...]]:
        return _restored, (type(self), self._bundle, self.reference, self.references_as, self.ends)

    @cached_property
    def _bundle(self) -> bytes:
        return self.task.to_bytes()

    def results(
        self, responses: Sequence[Any], rows: Sequence[Mapping[str, Any]], references: Sequence[Any] | None = None
    ) -> list[RecordResult]:
        """Return the results of a batch of answers.

        Args:
            responses: The answers: texts, or chat messages.
            rows: For each answer the row of the data set from which it was made.
            references: The references, if the trainer gives them beside the rows.

        Raises:
            InputError: when the task needs references, and the rows have none at all.
        """
        answers = [without_ends(one, self.ends) for one in responses] if self.ends else list(responses)
        records = [host_record(row) for row in rows]
        golds = self._references(records) if references is None else list(references)
        scorer = self._scores()
        if self.task.asks_judge:
            parts = list(zip(answers, golds, records, strict=True))
            return list(in_threads(lambda one: self._judged(scorer, *one), parts, _JUDGED_AT_ONCE))
        found = scorer.score_columns(answers, golds, records=records, references_as=self.references_as)
        return list(found.results)

    def _judged(self, scorer: Any, answer: Any, gold: Any, record: Any) -> RecordResult:
        found: RecordResult = scorer.score_parts(answer, gold, record=record, references_as=self.references_as)
        return found

    def row_of(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row with the columns that the task reads, and the names of the others, which tell what there is."""
        return {name: one if self._keys is None or name in self._keys else None for name, one in columns.items()}

    def _references(self, records: Sequence[Mapping[str, Any]]) -> list[Any]:
        if not self.task.needs_reference and self.reference is None:
            return [MISSING] * len(records)
        keys = columns_of(self._path)
        if records and keys is not None and not any(keys & record.keys() for record in records):
            there = listed(sorted(records[0]), "and") if records[0] else "nothing"
            raise InputError(
                f"`{self._path}`, where {self.task.name} finds its references, is no column of this data; it has "
                f"{there}: name the right one by `reference=`"
            )
        return list(map(self._read_reference, records))

    def _scores(self) -> Any:
        """Return what scores: the task, or a worker where one record may take only so long."""
        seconds = self.rule.rules.seconds
        if seconds is None:
            return self.task
        with self._starting:
            # A process that was forked can't use the worker of its parent.
            if self._scorer is None or self._scorer[0] != os.getpid():
                worker = self.task.worker(seconds=seconds).__enter__()
                weakref.finalize(self, worker.close)
                self._scorer = os.getpid(), worker
            return self._scorer[1]

    def reward_or_least(self, result: RecordResult) -> float:
        """Return the reward of a record for a trainer that can skip none: the least one where there is none."""
        found = self.rule.reward_of(result)
        return self.rule.least if found is None else found


def without_ends(answer: Any, ends: Sequence[str]) -> Any:
    """Return an answer without the texts that end it, however many there are; what is no text is returned as it is.

    Examples:
        >>> without_ends("Paris</s></s>", ("</s>", "<eos>")), without_ends(None, ("</s>",))
        ('Paris', None)
    """
    if not isinstance(answer, str):
        return answer
    stop = len(answer)  # a place, so that a long row of such tokens is not copied with each
    while end := next((end for end in ends if end and answer.endswith(end, 0, stop)), None):
        stop -= len(end)
    return answer[:stop]


def _restored(kind: Any, bundle: bytes, *options: Any) -> TrainerReward:
    return _of_process(kind, bundle, options, os.getpid())


@lru_cache(maxsize=16)
def _of_process(kind: Any, bundle: bytes, options: tuple[Any, ...], _process: int) -> TrainerReward:
    reference, references_as, ends = options
    found: TrainerReward = kind(Task.from_bytes(bundle), reference=reference, references_as=references_as, ends=ends)
    return found
