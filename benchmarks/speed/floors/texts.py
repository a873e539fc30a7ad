"""The least that metrics of texts cost on the sentences that the table draws, written by hand."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from math import exp, log, sqrt
from typing import Any

Columns = Callable[[list[str], list[str]], list[float]]
Rows = list[dict[str, Any]]


def grams(tokens: Any, n: int) -> list[Any]:
    """All n-grams."""
    return list(zip(*(tokens[start:] for start in range(n)), strict=False)) if n > 1 else tokens


def shared(one: list[Any], other: list[Any]) -> int:
    """How many items both have, each as often as in both."""
    kinds = set(one)
    if len(kinds) == len(one):
        return len(kinds.intersection(other))
    left, right = Counter(one), Counter(other)
    return sum([min(left[item], right[item]) for item in left.keys() & right.keys()])


def rouge() -> Callable[[Rows], list[float]]:
    """The mean F-measure of four kinds of ROUGE; lines count for the last, where a text has more than one."""
    from rapidfuzz.distance import LCSseq

    cut = re.compile("[a-z0-9]+").findall

    def f1(hits: int, found: int, wanted: int) -> float:
        return 2 * hits / (found + wanted) if hits else 0.0

    def four(response: str, reference: str) -> tuple[float, float, float, float]:
        response, reference = response.lower(), reference.lower()
        found, wanted = cut(response), cut(reference)
        sizes = len(found), len(wanted)
        one = f1(shared(found, wanted), *sizes)
        two = f1(shared(grams(found, 2), grams(wanted, 2)), sizes[0] - 1, sizes[1] - 1)
        longest = f1(LCSseq.similarity(found, wanted), *sizes)
        if "\n" not in response and "\n" not in reference:
            return one, two, longest, longest
        lines = [[cut(line) for line in side.split("\n")] for side in (response, reference)]
        return one, two, longest, f1(in_lines(*lines), *sizes)

    def means(rows: Rows) -> list[float]:
        found = [four(row["response"], row["reference"]) for row in rows]
        return [sum(kind) / len(found) for kind in zip(*found, strict=True)]

    return means


def in_lines(found: list[list[str]], wanted: list[list[str]]) -> int:
    """How many words of the wanted lines are in a longest common subsequence with any found line."""
    left, right = (Counter(word for line in side for word in line) for side in (found, wanted))
    hits = 0
    for line in wanted:
        for place in {place for other in found for place in common(line, other)}:
            word = line[place]
            if left[word] > 0 and right[word] > 0:
                left[word] -= 1
                right[word] -= 1
                hits += 1
    return hits


def common(line: list[str], other: list[str]) -> Iterator[int]:
    """The places in a line of a longest common subsequence with another line."""
    table = [[0] * (len(other) + 1) for _ in range(len(line) + 1)]
    for i, word in enumerate(line):
        above, row = table[i], table[i + 1]
        for j, its in enumerate(other):
            row[j + 1] = above[j] + 1 if word == its else max(above[j + 1], row[j])
    i, j = len(line), len(other)
    while i and j:
        if line[i - 1] == other[j - 1]:
            i, j = i - 1, j - 1
            yield i
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1


def gram_hits(symbols: Any, sizes: list[int], most: int) -> Iterator[tuple[Any, int, int]]:
    """For each n, how many n-grams of each response its reference has, too, and how many all have.

    Args:
        symbols: Those of all responses, and then of all references, as small numbers.
        sizes: How many each text has.
        most: The largest n; as many of the numbers, and that of a text, have to fit into 63 bits.
    """
    import numpy as np

    rows, kinds, grams, size = len(sizes) // 2, int(symbols.max()) + 1, np.int64(0), len(symbols)
    text = np.repeat(np.arange(len(sizes)), sizes)
    first = sum(sizes[:rows])
    for n in range(most):
        grams = (grams[: size - n] if n else grams) * kinds + symbols[n:]
        is_inside, start = text[: size - n] == text[n:], text[: size - n]
        coded = start % rows * kinds ** (n + 1) + grams
        found, wanted = coded[:first][is_inside[:first]], coded[first:][is_inside[first:]]
        (one, ones), (other, others) = (np.unique(side, return_counts=True) for side in (found, wanted))
        both, left, right = np.intersect1d(one, other, assume_unique=True, return_indices=True)
        hits = np.bincount(both // kinds ** (n + 1), np.minimum(ones[left], others[right]), rows)
        yield hits, len(found), len(wanted)


def word_hits(texts: list[list[str]]) -> tuple[list[tuple[Any, int, int]], Any, Any]:
    """The same of up to four words; and how many words responses and references have."""
    import numpy as np

    numbers: dict[str, int] = {}
    for words in texts:
        for word in words:
            numbers.setdefault(word, len(numbers))
    sizes = list(map(len, texts))
    symbols = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.int64, sum(sizes))
    founds, wants = np.array(sizes).reshape(2, -1)
    return list(gram_hits(symbols, sizes, 4)), founds, wants


def bleu() -> Columns:
    """BLEU of each pair of texts; without a common sequence of four words it is 0."""
    import numpy as np

    cut = re.compile(r"\w+|\$[\d]+|[^\s\.]+").findall

    def scores(responses: list[str], references: list[str]) -> list[float]:
        orders, founds, wants = word_hits(list(map(cut, chain(responses, references))))
        with np.errstate(divide="ignore"):
            logs = sum(np.log(hits / (founds - n)) for n, (hits, _, _) in enumerate(orders)) / 4
        values: list[float] = np.exp(logs + np.minimum(0.0, 1 - wants / founds)).tolist()
        return values

    return scores


def words_and_stops(text: str) -> list[str]:
    """The tokens of sacrebleu's 13a where full stops are the only marks."""
    return text.replace(".", " . ").split()


def bleu_13a() -> Columns:
    """Sacrebleu's BLEU of each pair of sentences."""
    import numpy as np

    def scores(responses: list[str], references: list[str]) -> list[float]:
        orders, founds, wants = word_hits(list(map(words_and_stops, chain(responses, references))))
        logs, smooth = np.zeros(len(founds)), np.ones(len(founds))
        for n, (hits, _, _) in enumerate(orders):
            smooth[hits == 0] /= 2
            logs += np.log(np.where(hits == 0, smooth, hits) / (founds - n))
        found = np.exp(logs / 4 + np.minimum(0.0, 1 - wants / founds))
        values: list[float] = np.where(orders[0][0] > 0, found, 0.0).tolist()
        return values

    return scores


def corpus_bleu(pairs: list[tuple[str, str]]) -> float:
    """BLEU of a set, whose sequences of four words have hits."""
    texts = [words_and_stops(text) for side in zip(*pairs, strict=True) for text in side]
    orders, founds, wants = word_hits(texts)
    logs = sum(log(int(hits.sum()) / all_found) for hits, all_found, _ in orders) / 4
    return exp(logs + min(0.0, 1 - int(wants.sum()) / int(founds.sum())))


def corpus_chrf(pairs: list[tuple[str, str]]) -> float:
    """ChrF of a set: F2 of the mean precision and recall of sequences of one to six characters without spaces."""
    import numpy as np

    texts = ["".join(text.split()).encode("ascii") for side in zip(*pairs, strict=True) for text in side]
    letters = np.unique(np.frombuffer(b"".join(texts), np.uint8), return_inverse=True)[1].astype(np.int64)
    orders = gram_hits(letters, list(map(len, texts)), 6)
    shares = [(hits.sum() / found, hits.sum() / wanted) for hits, found, wanted in orders]
    precision, recall = (float(sum(side)) / 6 for side in zip(*shares, strict=True))
    return 5 * precision * recall / (4 * precision + recall)


def translation() -> Callable[[Rows], list[float]]:
    """BLEU and chrF of a set by hand; TER by sacrebleu, since nothing less finds its shifts."""
    import sacrebleu

    import_module("numpy")  # by what is made ready, so that no import is timed
    ter = sacrebleu.TER()

    def figures(rows: Rows) -> list[float]:
        pairs = [(row["response"], row["reference"]) for row in rows]
        responses, references = zip(*pairs, strict=True)
        edits: float = ter.corpus_score(responses, [references]).score / 100
        return [corpus_bleu(pairs), corpus_chrf(pairs), edits]

    return figures


def cider(rows: Rows) -> list[float]:
    """CIDEr-D of captions that are tokens already: sequences of one to four words, weighted by how rare they are."""

    def counted(text: str) -> list[Counter[Any]]:
        words = text.split()
        return [Counter(grams(words, n)) for n in (1, 2, 3, 4)]

    golds = [[counted(one) for one in row["reference"]] for row in rows]
    rows_with = Counter(gram for each in golds for gram in {gram for one in each for kind in one for gram in kind})
    all_rows = log(len(rows))
    rarity = {gram: all_rows - log(count) for gram, count in rows_with.items()}

    def weighted(kinds: list[Counter[Any]]) -> list[tuple[dict[Any, float], float]]:
        found = []
        for kind in kinds:
            weights = {gram: count * rarity.get(gram, all_rows) for gram, count in kind.items()}
            found.append((weights, sqrt(sum([weight * weight for weight in weights.values()]))))
        return found

    total = 0.0
    for row, each in zip(rows, golds, strict=True):
        counts = counted(row["response"])
        answer, length = weighted(counts), counts[1].total()
        for gold in each:
            near = 0.0
            for (left, size), (right, other) in zip(answer, weighted(gold), strict=True):
                if size and other:
                    both = sum([min(left[gram], right[gram]) * right[gram] for gram in left.keys() & right.keys()])
                    near += both / (size * other)
            total += near * exp(-((length - gold[1].total()) ** 2) / 72) / len(each)
    return [10 * total / 4 / len(rows)]


def squad() -> Callable[[Rows], list[float]]:
    """SQuAD's F1 and exact match, against the nearest of several answers."""
    gone, articles = str.maketrans("", "", string.punctuation), frozenset(("a", "an", "the"))

    def words(value: str) -> list[str]:
        return [word for word in value.lower().translate(gone).split() if word not in articles]

    def f1(found: list[str], wanted: list[str]) -> float:
        hits = shared(found, wanted)
        return 2 * hits / (len(found) + len(wanted)) if hits else 0.0

    def means(rows: Rows) -> list[float]:
        exact, near = 0, 0.0
        for row in rows:
            found, golds = words(row["response"]), [words(one) for one in row["reference"]]
            if found in golds:
                exact += 1
                near += float(bool(found))
            else:
                near += max([f1(found, gold) for gold in golds])
        return [near / len(rows), exact / len(rows)]

    return means
