"""Suggest the known name that is nearest to a misspelled one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoring.diagnostics.words import plain_name

_LONGEST = 64


def nearest(word: str, candidates: Iterable[str], also: Mapping[str, str] | None = None) -> str | None:
    """Return the candidate that the author of a misspelled word most likely meant, None if none is near.

    First one is chosen that is equal except for case, `_`, `-`, `/`, `.` and spaces, or is so after its last `/`; then
    the only one that begins with the word, or whose other name does so with a whole word; then the nearest by edits
    (swapped neighbours are one): at most one for four characters, or for seven of another name.

    Args:
        word: The word that was written.
        candidates: The words that are valid here.
        also: Other names of some candidates; of equally near names, that of a candidate itself is preferred.

    Examples:
        >>> nearest("MAE", ["mae", "mse"])
        'mae'
        >>> nearest("error", ["house/error", "errors"])
        'house/error'
        >>> nearest("tol", ["tolerance", "unit"])
        'tolerance'
        >>> nearest("numbr", ["number", "lower"])
        'number'
        >>> nearest("banana", ["number", "lower"]) is None
        True
        >>> nearest("exact_match", ["equal", "lower"], {"exact match": "equal"})
        'equal'
    """
    known = {name: name for name in candidates if name != word}
    known |= {name: target for name, target in (also or {}).items() if target in known and name not in known}
    folded = plain_name(word)
    if not folded or len(word) > _LONGEST:
        return None
    same = [target for name, target in known.items() if plain_name(name) == folded]
    same += [target for name, target in known.items() if plain_name(name.rpartition("/")[2]) == folded]
    if same:
        return same[0]
    begun = {name: target for name, target in known.items() if len(folded) >= 3 and plain_name(name).startswith(folded)}
    by_word = {to for name, to in begun.items() if name == to or spoken(name).startswith(f"{spoken(word.casefold())} ")}
    for targets in ({name for name in begun if begun[name] == name}, by_word):
        if len(targets) == 1:
            return targets.pop()
    return _by_edits(word, known)


def did_you_mean(
    word: str, candidates: Iterable[str], otherwise: str = "", *, also: Mapping[str, str] | None = None
) -> str:
    """Return the question whether the nearest candidate was meant; the text `otherwise` if no candidate is near.

    Examples:
        >>> did_you_mean("numbr", ["number", "lower"])
        'did you mean `number`?'
        >>> did_you_mean("banana", ["number", "lower"], "there are `lower` and `number`")
        'there are `lower` and `number`'
    """
    candidate = nearest(word, candidates, also)
    return f"did you mean `{candidate}`?" if candidate else otherwise


def candidate_in(question: str) -> str:
    """Return the candidate that is named in a question made by `did_you_mean`; "" for any other text.

    Examples:
        >>> candidate_in("did you mean `number`?"), candidate_in("there is none")
        ('number', '')
    """
    name = question.removeprefix("did you mean `").removesuffix("`?")
    return name if question == f"did you mean `{name}`?" else ""


def spoken(name: str) -> str:
    """Return a name as separate words, for searching it in descriptions.

    Examples:
        >>> spoken("exact_match"), spoken("house/word-error")
        ('exact match', 'house word error')
    """
    return " ".join(name.translate(_APART).split())


_APART = str.maketrans("_-/.", "    ")


def _by_edits(word: str, known: Mapping[str, str]) -> str | None:
    from rapidfuzz.distance import OSA  # swapped neighbours are one edit; only a misspelled word pays for the import

    best, fewest = None, _LONGEST
    for name, target in ((one, target) for one, target in known.items() if len(one) <= _LONGEST):
        parts, others = spoken(word.casefold()).split(), spoken(name.casefold()).split()
        if not parts or len(parts) != len(others):  # else each word has its counterpart
            parts, others = [plain_name(word)], [plain_name(name)]
        pairs = [(OSA.distance(*pair), max(map(len, pair))) for pair in zip(parts, others, strict=True)]
        edits, size = (sum(column) for column in zip(*pairs, strict=True))
        most = max(size // 4, 1) if name == target else size // 7
        if edits <= min(most, fewest - 1) and all(count <= length // 3 for count, length in pairs):
            best, fewest = target, edits
    return best
