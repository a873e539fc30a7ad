"""The singular of an English noun, by rule and by a list of irregular plurals."""

from __future__ import annotations

import functools

_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose",
    "mice": "mouse", "lice": "louse", "oxen": "ox", "people": "people", "dice": "die", "pence": "penny",
    "brethren": "brother", "cacti": "cactus", "fungi": "fungus", "nuclei": "nucleus", "alumni": "alumnus",
    "radii": "radius", "stimuli": "stimulus", "syllabi": "syllabus", "bacteria": "bacterium", "data": "data",
    "criteria": "criterion", "phenomena": "phenomenon", "media": "medium", "strata": "stratum",
    "analyses": "analysis", "axes": "axis", "bases": "base", "crises": "crisis", "theses": "thesis",
    "hypotheses": "hypothesis", "oases": "oasis", "indices": "index", "appendices": "appendix",
    "vertices": "vertex", "matrices": "matrix", "quizzes": "quiz", "buses": "bus", "gases": "gas",
    "lenses": "lens", "movies": "movie", "cookies": "cookie", "pies": "pie", "ties": "tie", "lies": "lie",
    "shoes": "shoe", "toes": "toe", "hoes": "hoe", "canoes": "canoe", "species": "species", "series": "series",
    "news": "news", "lens": "lens", "gas": "gas", "axis": "axis", "its": "its", "this": "this", "his": "his",
}  # fmt: skip
_TO_F = {
    "calves": "calf", "elves": "elf", "halves": "half", "hooves": "hoof", "leaves": "leaf", "loaves": "loaf",
    "scarves": "scarf", "selves": "self", "sheaves": "sheaf", "shelves": "shelf", "thieves": "thief",
    "wolves": "wolf", "dwarves": "dwarf", "knives": "knife", "lives": "life", "wives": "wife",
}  # fmt: skip
_ES = ("ses", "xes", "zes", "ches", "shes", "oes")


@functools.lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    """The singular of a lower-case noun; any other word as it is.

    Examples:
        >>> [singular(word) for word in ("cats", "puppies", "boxes", "leaves", "geese", "glass", "bus", "sandwiches")]
        ['cat', 'puppy', 'box', 'leaf', 'goose', 'glass', 'bus', 'sandwich']
    """
    listed = _IRREGULAR.get(word) or _TO_F.get(word)
    if listed:
        return listed
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word.removesuffix("men") + "man" if word.endswith("men") and len(word) > 4 else word
    if word.endswith("ies"):
        return word.removesuffix("ies") + "y"
    if word.endswith(_ES):
        return _without_es(word)
    return word[:-1]


def _without_es(word: str) -> str:
    """``boxes`` loses two letters; ``houses``, ``sizes`` and ``axes`` (of an axe) would lose one: a vowel tells."""
    stem = word.removesuffix("es")
    if stem.endswith(("s", "z")) and len(stem) > 2 and not stem.endswith(("ss", "zz")):
        return stem if stem.endswith("us") and not stem.endswith(("ous", "aus")) else word[:-1]
    return stem
