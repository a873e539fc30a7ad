"""The same answers under several scorers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.report.dialects import DIALECTS, PACK, DialectScores, beside_the_first, near


@dataclass(frozen=True, slots=True)
class Compared:
    """What a task compares in one record, and what its scorers may read besides.

    Args:
        id: The record's id.
        prediction: The parsed answer.
        reference: What it is compared with, as the task prepared it.
        row: The record and its context, as expressions read them.
    """

    id: Any
    prediction: Any
    reference: Any
    row: Mapping[str, Any]

    @property
    def texts(self) -> list[str]:
        """The references that are texts, which is all that a dialect of ANLS takes."""
        references = self.reference if isinstance(self.reference, list) else [self.reference]
        return [reference for reference in references if isinstance(reference, str)]


def scorers_named(names: str) -> list[str]:
    """The scorers that a text names: full names joined by commas, or packs, which stand for all of theirs.

    Raises:
        SpecError: when there is no such pack.

    Examples:
        >>> scorers_named("anls@1")[:2], scorers_named("mmesgbench@1:int,mmesgbench@1:float")
        (['anls@1:anls', 'anls@1:anls_normalised'], ['mmesgbench@1:int', 'mmesgbench@1:float'])
    """
    found: list[str] = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        if ":" in name:
            found.append(name)
        elif name == PACK:
            found += [f"{PACK}:{dialect}" for dialect in DIALECTS]
        else:
            found += _scorers_of(name)
    return list(dict.fromkeys(found))


def _scorers_of(pack: str) -> list[str]:
    """The scorers of a pack that need no argument."""
    from scoring.format.load import Loader
    from scoring.format.model import NO_DEFAULT, Pack

    name, _, version = pack.partition("@")
    spec = Loader().named(name, version).spec
    assert isinstance(spec, Pack)
    return [
        f"{pack}:{definition.name}"
        for definition in spec.definitions.values()
        if definition.role == "scorer"
        and all(param.takes_pipeline or param.default is not NO_DEFAULT for param in definition.params)
    ]


def compare_scorers(names: Sequence[str], held: Sequence[Compared]) -> list[DialectScores]:
    """The scores of some records under each scorer, the first being what the others are held against.

    Raises:
        SpecError: when there is no such scorer.
    """
    from scoring.api import scorer

    columns: dict[str, tuple[float | None, ...]] = {}
    docs: dict[str, str] = {}
    for name in names:
        compare = scorer(name)
        pack, _, short = name.rpartition(":")
        # Dialects of ANLS take one text or many, so that every task with a text to compare has them.
        takes_texts = pack == PACK and short in DIALECTS
        docs[name] = DIALECTS[short] if takes_texts else ""
        columns[name] = tuple(
            compare.score(
                one.prediction,
                one.texts if takes_texts else one.reference,
                context=one.row.get("context"),
                record=one.row.get("record"),
            ).value
            for one in held
        )
    return beside_the_first(columns, docs)


def differing(found: Sequence[DialectScores]) -> list[int]:
    """The places of the records that the dialects do not agree on, those furthest apart first."""
    rows = list(zip(*(one.scores for one in found), strict=True))
    apart = [place for place, row in enumerate(rows) if not all(near(score, row[0]) for score in row)]
    return sorted(apart, key=lambda place: (-_spread(rows[place]), place))


def _spread(scores: Sequence[float | None]) -> float:
    known = [score for score in scores if score is not None]
    return max(known) - min(known) if known else 0.0


def dialects_data(found: Sequence[DialectScores], held: Sequence[Compared]) -> dict[str, Any]:
    """The same as plain data, with every record that differs."""
    return {
        "dialects": [{"name": one.name, "doc": one.doc, "mean": one.mean, "differing": one.differing} for one in found],
        "records": [
            {"id": held[place].id, "scores": {one.name: one.scores[place] for one in found}}
            for place in differing(found)
        ],
    }
