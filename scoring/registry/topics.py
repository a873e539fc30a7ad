"""The topics by which primitives, definitions of packs and recipes are found."""

from __future__ import annotations

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
