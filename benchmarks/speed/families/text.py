"""Texts against texts: ROUGE, BLEU, chrF, TER, METEOR, error rates and question answering, as recipes and tasks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from benchmarks.speed.floors import texts as hand
from benchmarks.speed.row import Peer, Row, batch, by_hand, drawn, evaluated, of_columns, of_pairs, of_records, task

KINDS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
SYLLABLES = ("an", "bor", "ca", "den", "ed", "fi", "gar", "ing", "lo", "mer", "na", "pos", "ry", "ser", "ted", "ul")
ROUGE = task(
    "rouge",
    fields={
        kind: f'rouge(variant="{kind}")' for kind in KINDS
    },
    metrics=[f'mean(field="{kind}")' for kind in KINDS],
)  # fmt: skip


def sentences(fewest: int, most: int) -> Callable[[random.Random, int], dict[str, str]]:
    """Sentences with edited copies; words are as frequent as in natural text, the commonest is one in twelve."""
    state: dict[random.Random, tuple[list[str], list[float]]] = {}

    def vocabulary(chance: random.Random) -> tuple[list[str], list[float]]:
        if chance not in state:
            words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 2, 2, 3)))) for _ in range(2_000)]
            state.clear()
            state[chance] = words, [1 / (rank + 2) for rank in range(len(words))]
        return state[chance]

    def draw(chance: random.Random, place: int) -> dict[str, str]:
        words, weights = vocabulary(chance)
        original = chance.choices(words, weights, k=chance.randint(fewest, most))
        edited = [chance.choices(words, weights)[0] if chance.random() < 0.25 else word for word in original]
        join = "\n" if place % 8 == 0 and len(original) > 9 else " "
        return {"id": str(place), "response": in_parts(edited, 9, join), "reference": in_parts(original, 7, join)}

    return draw


def in_parts(words: list[str], cut: int, join: str) -> str:
    """Two sentences."""
    return join.join(" ".join(part).capitalize() + "." for part in (words[:cut], words[cut:]) if part)


def plain(fewest: int, most: int) -> Callable[[random.Random, int], dict[str, str]]:
    """The same in lower case and on one line, without full stops, as transcripts are."""
    draw = sentences(fewest, most)

    def drawn_plain(chance: random.Random, place: int) -> dict[str, str]:
        row = draw(chance, place)
        return {key: value.lower().replace(".", "").replace("\n", " ") for key, value in row.items()}

    return drawn_plain


def question(chance: random.Random, place: int) -> dict[str, Any]:
    """An answer and three that are right, with articles and punctuation."""
    row = sentences(2, 6)(chance, place)
    right = [f"The {row['reference']}", row["reference"], f"a {row['reference']}!"]
    return {"id": str(place), "response": chance.choice((row["response"], row["reference"])), "reference": right}


def captioned(chance: random.Random, place: int) -> dict[str, Any]:
    """A caption beside those of five people, in small letters and without marks."""
    draw = plain(8, 14)
    references = [draw(chance, place)["reference"] for _ in range(4)]
    row = draw(chance, place)
    return {"id": str(place), "response": row["response"], "reference": [row["reference"], *references]}


def coco_captions() -> Callable[[list[dict[str, Any]]], list[float]]:
    """CIDEr-D of COCO's package on texts that are tokens already."""
    from pycocoevalcap.cider.cider import Cider

    def score(rows: list[dict[str, Any]]) -> list[float]:
        golds = {row["id"]: row["reference"] for row in rows}
        return [float(Cider().compute_score(golds, {row["id"]: [row["response"]] for row in rows})[0])]

    return score


def mean_of(figures: list[float]) -> list[float]:
    """Their mean."""
    return [sum(figures) / len(figures)]


def rouge_score() -> Callable[[Any, Any], Any]:
    """The package of Google Research."""
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(list(KINDS))
    return lambda response, reference: scorer.score(reference, response)


def rouge_means(found: list[Any]) -> list[float]:
    """The mean F-measure of each kind."""
    return [sum(one[kind].fmeasure for one in found) / len(found) for kind in KINDS]


def nltk_bleu() -> Callable[[Any, Any], float]:
    """NLTK's sentence BLEU over words and marks."""
    import warnings

    from nltk.tokenize import RegexpTokenizer
    from nltk.translate.bleu_score import sentence_bleu

    warnings.simplefilter("ignore")
    cut = RegexpTokenizer(r"\w+|\$[\d]+|[^\s\.]+").tokenize

    def score(response: str, reference: str) -> float:
        value: float = sentence_bleu([cut(reference)], cut(response))
        return 0.0 if value < 1e-9 else value

    return score


def sacrebleu_sentence() -> Callable[[Any, Any], float]:
    """Sacrebleu's sentence BLEU over tokens of 13a."""
    import sacrebleu

    bleu = sacrebleu.BLEU(effective_order=True)
    return lambda response, reference: bleu.sentence_score(response, [reference]).score / 100


def sacrebleu_corpus(names: tuple[str, ...]) -> Callable[[], Callable[[list[str], list[str]], list[float]]]:
    """Sacrebleu's figures of a whole set."""

    def ready() -> Callable[[list[str], list[str]], list[float]]:
        import sacrebleu

        metrics = [getattr(sacrebleu, name)() for name in names]
        return lambda responses, references: [
            metric.corpus_score(responses, [references]).score / 100 for metric in metrics
        ]

    return ready


def nltk_meteor() -> Callable[[Any, Any], float]:
    """NLTK's METEOR, without synonyms."""
    from nltk.translate.meteor_score import single_meteor_score

    class NoWords:
        """A WordNet that has no word."""

        @staticmethod
        def synsets(_: str) -> list[Any]:
            return []

    return lambda response, reference: single_meteor_score(reference.split(), response.split(), wordnet=NoWords)


def jiwer(name: str) -> Callable[[], Callable[[list[str], list[str]], float]]:
    """Jiwer's error rate of all pairs together."""

    def ready() -> Callable[[list[str], list[str]], float]:
        import jiwer

        rate = getattr(jiwer, name)
        return lambda responses, references: rate(references, responses)

    return ready


def rapidfuzz(cut: Callable[[str], Any]) -> Callable[[], Callable[[list[str], list[str]], float]]:
    """The bare edit distance, summed."""

    def ready() -> Callable[[list[str], list[str]], float]:
        from rapidfuzz.distance import Levenshtein

        def rate(responses: list[str], references: list[str]) -> float:
            edits = length = 0
            for response, reference in zip(responses, references, strict=True):
                wanted = cut(reference)
                edits += Levenshtein.distance(cut(response), wanted)
                length += len(wanted)
            return edits / length

        return rate

    return ready


def squad() -> Callable[[Any, Any], tuple[float, float]]:
    """SQuAD's rule in plain Python: exact match, and F1 of words, against the nearest answer."""
    import re
    import string
    from collections import Counter

    articles, marks = re.compile(r"\b(a|an|the)\b"), set(string.punctuation)

    def words(value: str) -> list[str]:
        return articles.sub(" ", "".join(one for one in value.lower() if one not in marks)).split()

    def f1(found: list[str], wanted: list[str]) -> float:
        shared = sum((Counter(found) & Counter(wanted)).values())
        return 2 * shared / (len(found) + len(wanted)) if shared else 0.0

    def score(response: str, references: list[str]) -> tuple[float, float]:
        found = words(response)
        golds = [words(one) for one in references]
        return float(found in golds), max(f1(found, gold) for gold in golds)

    return score


def two_means(found: list[tuple[float, float]]) -> list[float]:
    """F1 first, as the recipe has it."""
    return [sum(one[1] for one in found) / len(found), sum(one[0] for one in found) / len(found)]


def rouge(words: int, size: int, *floors: Peer) -> Row:
    """ROUGE of four kinds on texts of so many words."""
    peer = Peer("rouge-score", of_pairs(rouge_score, rouge_means), 10, needs=("rouge-score",))
    work = f"{size:,} pairs of {words} words, four kinds, `task.evaluate`"
    return Row(f"text/rouge-{words}", work, size, drawn(sentences(words, words)), evaluated(ROUGE), (peer, *floors))


def bleu(name: str, expression: str, size: int, words: tuple[int, int], peers: tuple[Peer, ...]) -> Row:
    """Sentence BLEU, one call."""
    many = f"{words[0]} to {words[1]} words" if words[0] < words[1] else f"{words[0]} words"
    return Row(
        f"text/{name}", f"`{expression}`, {size:,} pairs of {many}, one call", size, drawn(sentences(*words)),
        batch(expression), peers,
    )  # fmt: skip


def errors(name: str, way: str, cut: Callable[[str], Any]) -> Row:
    """An error rate by its recipe."""
    peers = (
        Peer("jiwer", of_columns(jiwer(name), lambda rate: [rate]), 2, needs=("jiwer",)),
        Peer("rapidfuzz", of_columns(rapidfuzz(cut), lambda rate: [rate]), 0.5, needs=("rapidfuzz",), is_floor=True),
    )
    return Row(
        f"text/{name}", f"cookbook/{name}, 5,000 transcripts, errors of {way}", 5_000, drawn(plain(8, 20)),
        evaluated(f"cookbook/{name}.yaml"), peers,
    )  # fmt: skip


def corpus(name: str, metrics: tuple[str, ...], goal: float | None, *floors: Peer) -> Row:
    """Figures of a set of translations; a metric's own task has nothing else."""
    ours = {"BLEU": "corpus_bleu", "CHRF": "corpus_chrf", "TER": "corpus_ter"}
    spec = task("corpus", score="equal", metrics=[ours[one] for one in metrics])
    peer = Peer(f"sacrebleu {', '.join(metrics)}", of_columns(sacrebleu_corpus(metrics), list), goal, ("sacrebleu",))
    return Row(
        f"text/{name}", f"{', '.join(metrics)} of 1,000 translations, `task.evaluate`", 1_000, drawn(sentences(8, 28)),
        evaluated(spec), (peer, *floors),
    )  # fmt: skip


def in_columns(scores: Callable[[], hand.Columns]) -> Peer:
    """The least that scores of all texts cost."""
    return Peer("by hand in columns", of_columns(scores, list), needs=("numpy",), is_floor=True)


NLTK = Peer("nltk", of_pairs(nltk_bleu), None, needs=("nltk",))
SACRE = Peer("sacrebleu", of_pairs(sacrebleu_sentence), 5, needs=("sacrebleu",))
OTHER = Peer("sacrebleu", of_pairs(sacrebleu_sentence), 5, needs=("sacrebleu",), compares=False)
ROWS = [
    rouge(12, 2_000, by_hand(hand.rouge, None, "rapidfuzz")),
    rouge(60, 400),
    rouge(400, 40),
    bleu("bleu", "bleu", 2_000, (8, 28), (NLTK, OTHER, in_columns(hand.bleu))),
    bleu("bleu-400", "bleu", 100, (400, 400), (NLTK, OTHER)),
    bleu("bleu-13a", "mteval_bleu(effective_order=true)", 2_000, (8, 28), (SACRE, in_columns(hand.bleu_13a))),
    bleu("bleu-13a-400", "mteval_bleu(effective_order=true)", 100, (400, 400), (SACRE, in_columns(hand.bleu_13a))),
    corpus("corpus-bleu", ("BLEU",), None),
    corpus("corpus-chrf", ("CHRF",), None),
    corpus("corpus-ter", ("TER",), None),
    corpus(
        "translation", ("BLEU", "CHRF", "TER"), 1,
        Peer("by hand, TER by sacrebleu", of_records(hand.translation), needs=("sacrebleu",), is_floor=True),
    ),
    Row(
        "text/cider", "cookbook/coco-captions, 1,000 captions with five references", 1_000, drawn(captioned),
        evaluated("cookbook/coco-captions.yaml", "cider"),
        (
            Peer("pycocoevalcap without its tokenizer", of_records(coco_captions), 1, needs=("pycocoevalcap",)),
            by_hand(lambda: hand.cider),
        ),
    ),
    Row(
        "text/meteor", "cookbook/meteor, 2,000 pairs, `task.evaluate`", 2_000, drawn(plain(8, 28)),
        evaluated("cookbook/meteor.yaml"),
        (Peer("nltk without synonyms", of_pairs(nltk_meteor, mean_of), 1, needs=("nltk",)),),
    ),
    errors("wer", "words", str.split),
    errors("cer", "characters", str),
    Row(
        "text/squad", "cookbook/squad-1, 5,000 answers, `task.evaluate`", 5_000, drawn(question),
        evaluated("cookbook/squad-1.yaml"),
        (Peer("the rule in plain Python", of_pairs(squad, two_means), 1), by_hand(hand.squad)),
    ),
]  # fmt: skip
