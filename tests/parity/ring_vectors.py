"""Vectors of official packages for the primitives of speech, near texts and tags: each package runs, and nothing of it
is kept but what it gave.

`python -m tests.parity.ring_vectors NAME` prints those of one file in `tests/parity/data`, in an environment that has
the package: jiwer for `alignments`, rapidfuzz and fuzzywuzzy for `partial_ratio`, seqeval for `tag_schemes`,
whisper-normalizer for `transcripts`; `ring_official.py` says what the others want.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from random import Random

from tests.parity import ring_official
from tests.parity.ring_official import WORDS, Row


def alignments() -> Iterator[Row]:
    """Yield pairs of texts with jiwer's counts; few distinct words make many shortest alignments."""
    yield {"official": f"jiwer {version('jiwer')} process_words", "note": "words are separated by one space"}
    draw, process = Random(29), import_module("jiwer").process_words
    pairs = [("", "a"), ("", "the cat"), ("a", "a"), ("日本 语", "日本"), ("é", "e\u0301")]
    for size in (2, 2, 2, 3, len(WORDS)):
        for _ in range(20):
            sides = [" ".join(draw.choices(WORDS[:size], k=draw.randint(low, 9))) for low in (0, 1)]
            pairs.append((sides[0], sides[1]))
    for said, right in pairs:
        one = process(right, said)
        counts = {name: getattr(one, name) for name in ("hits", "substitutions", "deletions", "insertions")}
        yield {"prediction": said, "reference": right, **counts, "mer": one.mer, "wip": one.wip, "wil": one.wil}
    for start in range(5, len(pairs), 20):
        some = pairs[start : start + 20]
        one = process([right for _, right in some], [said for said, _ in some])
        yield {"records": some, "mer": one.mer, "wip": one.wip, "wil": one.wil}


def partial_ratio() -> Iterator[Row]:
    """Yield pairs of texts with the ratio of rapidfuzz's implementation in Python, which ours does not call."""
    official = f"rapidfuzz {version('rapidfuzz')} rapidfuzz.fuzz_py.partial_ratio"
    yield {"official": official, "note": "`classic` is what fuzzywuzzy with difflib gives, for comparison"}
    draw, ratio = Random(31), import_module("rapidfuzz.fuzz_py").partial_ratio
    sys.modules["Levenshtein"] = None  # type: ignore[assignment]
    classic = import_module("fuzzywuzzy.fuzz").partial_ratio
    pairs = [("", ""), ("", "a"), ("a", ""), (" ", "a b"), ("é", "e\u0301"), ("İstanbul", "istanbul"), ("ß", "ss")]
    pairs += [("🙂", "a 🙂 b"), ("日本語", "これは日本の言語"), ("Paris", "the answer is paris, France"), ("ab", "ba")]
    for letters in ("ab", "abc ", "the cat🙂é日", "0123456789abcdef"):
        for most in (8, 30, 90):
            for _ in range(8):
                one, other = ("".join(draw.choices(letters, k=draw.randint(1, size))) for size in (most, most // 2))
                pairs.append((one, draw.choice([other, one[draw.randrange(len(one)) :] + other, other[::-1]])))
    for one, other in pairs:
        whole = {"classic": classic(one, other)} if one and other else {}
        yield {"prediction": one, "reference": other, "ratio": ratio(one, other), **whole}


def tag_schemes() -> Iterator[Row]:
    """Yield lists of tags, sound and unsound ones, with the spans of seqeval's strict mode; None where it refuses."""
    yield {"official": f"seqeval {version('seqeval')} scheme.Entities", "note": "the last position is counted, too"}
    draw, module = Random(37), import_module("seqeval.scheme")
    for scheme, letters in (("IOB1", "BIO"), ("IOB2", "BIO"), ("IOBES", "BIESO"), ("BILOU", "BILUO")):
        lists: list[list[str]] = [[], ["O"], ["O", "O"], *([f"{letter}-é"] for letter in "BIESLU"), ["B", "I", "O"]]
        for kinds in (["X"], ["X"], ["X", "Y"], ["PER", "人名"]):
            for _ in range(20):
                drawn = draw.choices(letters, k=draw.randint(1, 9))
                lists.append([one if one == "O" else f"{one}-{draw.choice(kinds)}" for one in drawn])
        for tags in lists:
            try:
                (found,) = module.Entities([tags], getattr(module, scheme)).entities
                spans = [[one.tag, one.start, one.end - 1] for one in found]
            except ValueError:
                spans = None
            yield {"scheme": scheme.lower(), "tags": " ".join(tags), "spans": spans}


def transcripts() -> Iterator[Row]:
    """Yield texts with what Whisper's basic normaliser makes of them, for each of its settings."""
    official = f"whisper-normalizer {version('whisper-normalizer')} BasicTextNormalizer"
    yield {"official": official, "note": "the code of openai-whisper's whisper/normalizers/basic.py"}
    draw, module = Random(41), import_module("whisper_normalizer.basic")
    texts = ["", " ", "()", "(())", "<a]b>c", "[a (b] c) d", "((a) b)", "(a\nb)", "<<<<", "]<[", "a(b"]
    texts += ["[Music] Well, it's 5€ (laughs) at the Café!", "Ångström Łódź Þór Đặng ð", "İSTANBUL ẞ ŒUVRE"]
    texts += ["हिन्दी में", "日本語です。", "ﬁ ½ Ⅷ ᴭ", "e\u0301 e\u0301\u0323", "a\u00a0b\u2003c\u200bd", "\x1c\x85x"]
    texts += ["\U0001f469\u200d\U0001f469\u200d\U0001f467 ok", "한국어 각", "ǿ Ǽ", "$1,000.50 — 20%"]
    letters = "aB é日ß<>[]()  .,-'’€œŁ\u0301\u093f🙂ﬁ\t"
    texts += ["".join(draw.choices(letters, k=draw.randint(1, 24))) for _ in range(40)]
    for plain in (False, True):
        for split in (False, True):
            made = module.BasicTextNormalizer(remove_diacritics=plain, split_letters=split)
            for text in texts:
                yield {"remove_diacritics": plain, "split_letters": split, "text": text, "made": made(text)}


MAKERS: dict[str, Callable[[], Iterator[Row]]] = {
    "alignments": alignments,
    "bleu_tokenizers": ring_official.bleu_tokenizers,
    "calibration_sizes": ring_official.calibration_sizes,
    "english_transcripts": ring_official.english_transcripts,
    "equations": ring_official.equations,
    "partial_ratio": partial_ratio,
    "punctuation": ring_official.punctuation,
    "tag_schemes": tag_schemes,
    "transcripts": transcripts,
}


if __name__ == "__main__":
    for row in MAKERS[sys.argv[1]]():
        print(json.dumps(row, ensure_ascii=False))
