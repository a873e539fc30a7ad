"""The topics by which primitives, definitions of packs and recipes are found."""

from __future__ import annotations

from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import plain_name
from scoring.registry.model import Primitive

TOPICS = {
    "answers": "short answers and free text against references",
    "choices": "letters and options",
    "numbers": "numbers, quantities, tolerances",
    "mathematics": "formulas and boxed answers",
    "code": "programs, tests, queries",
    "extraction": "what is read out of a response, and schemas",
    "tables": "tables and documents",
    "retrieval": "ranked lists",
    "speech": "words and characters of transcripts",
    "writing": "captions, translations, summaries",
    "tools": "calls of tools and functions",
    "instructions": "constraints on a text",
    "rubrics": "rubrics and judges",
    "pairs": "pairs, preferences, agreement with people",
    "labels": "labels and classes",
    "probabilities": "probabilities, likelihoods, calibration",
    "places": "boxes, masks, points, coordinates",
    "plans": "plans and puzzles",
    "verse": "rhyme, metre, syllables",
    "text": "cleaning and normalising texts",
    "lists": "lists, sets, bags",
    "mappings": "mappings and nested values",
    "scores": "thresholds, joining, averages",
    "samples": "several answers to one question",
    "quirks": "what one benchmark's released code or odd tasks need, and nothing else",
}
"""The description of each topic."""


def topic_fault(found: Primitive) -> str | None:
    """Return what is wrong with the topics and other names of a primitive, None if nothing is."""
    for name, words in (("topics", found.topics), ("aka", found.aka)):
        if isinstance(words, str):
            return f'`{name}` is a tuple of texts, as in `{name}=("{words}",)`'
    unknown = next((topic for topic in found.topics if topic not in TOPICS), None)
    if unknown is not None:
        hint = did_you_mean(unknown, TOPICS, f"they are {', '.join(TOPICS)}")
        return f"there is no topic `{unknown}`; {hint}"
    mistaken = next((one for one in found.aka if plain_name(one) in ("", plain_name(found.name))), None)
    return None if mistaken is None else f"`{mistaken}` in `aka` is not another name for it"
