"""More vectors of official code, for `ring_vectors.py`: of English transcripts, tokenizers of BLEU, equations,
calibration and punctuation.

`english_transcripts` wants whisper-normalizer, `bleu_tokenizers` sacrebleu[ja] and sentencepiece. On the path are
`math_judger.py` of OpenBMB/OlympiadBench (inference/code) for `equations`, `calibration_tools.py` of
hendrycks/outlier-exposure (utils) for `calibration_sizes`, and `mlqa_evaluation_v1.py` of facebookresearch/MLQA for
`punctuation`.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

WORDS = ["the", "cat", "sat", "on", "a", "mat", "é", "日本", "语", "ß", "🙂", "The", "well-known"]
Row = dict[str, Any]


def english_transcripts() -> Iterator[Row]:
    """Yield texts with what Whisper's normaliser of English makes of them; None where its code fails."""
    official = f"whisper-normalizer {version('whisper-normalizer')} EnglishTextNormalizer"
    yield {"official": official, "note": "the code of openai-whisper's whisper/normalizers/english.py"}
    draw, made = Random(43), import_module("whisper_normalizer.english").EnglishTextNormalizer()
    texts = ["", " ", "um", "Um, uh, hmm: mm.", "I'd say Mr. Smith's colour costs twenty-five dollars!"]
    texts += ["[Music] (laughs) OK", "two thousand and twenty-one", "one oh one", "double oh seven"]
    texts += ["minus three point one four", "the 1960s"]
    texts += [
        "five per cent, 6 percent and 7%",
        "$2 and seven cents",
        "three pounds fifty",
        "twenty twenty-first",
        "1" * 4_301,
    ]
    texts += ["She won't, he can't, y'all ain't; they'd gone.", "st john's dr", "one hundred and a half"]
    texts += ["triple five double x", "1,000,000.50 €", "two million three hundred thousand"]
    texts += ["first, second and third", "the ones", "a ' b 's c"]
    texts += ["The organisation's grey theatre programme analysed catalogue jewellery", "Café naïve ﬁ Ærø ½ ٣"]
    texts += ["<a> b ] c [ d ( e"]
    parts = ["um", "won't", " '", "'s been", "'d  gone", "mr", "mrs.", "(laughs)", "[", "(", ")", "()", "twenty"]
    parts += ["five", "hundred", "thousand", "million", "point", "one", "oh", "double", "and a half", "and", "%"]
    parts += ["per cent", "$", "£5", "¢7", "cents", "dollars", "3", "1,000", "4.5", "2nd", "colour", "é", "-", "."]
    parts += [",", "st", "ones", "first", "minus", "1.2.3", "let's"]
    texts += [draw.choice([" ", " ", ""]).join(draw.choices(parts, k=draw.randint(1, 14))) for _ in range(160)]
    for text in texts:
        try:
            yield {"text": text, "made": made(text)}
        except (AssertionError, ValueError, TypeError):
            yield {"text": text, "made": None}


def bleu_tokenizers() -> Iterator[Row]:
    """Yield pairs of sentences, and sets of them, with sacrebleu's BLEU for each tokenizer.

    The models of `flores101` and `flores200` can't be had everywhere: a small one stands in for both, and is the first
    row's `model`, so that what is held is how a model is used.
    """
    folder = Path(tempfile.mkdtemp())
    os.environ["SACREBLEU"] = str(folder)
    model = _small_model(folder)
    spm = import_module("sacrebleu.tokenizers.tokenizer_spm")
    (folder / "models").mkdir()
    for name in ("flores101", "flores200"):
        (folder / "models" / os.path.basename(spm.SPM_MODELS[name]["url"])).write_bytes(model)
    yield {"official": f"sacrebleu {version('sacrebleu')} BLEU", "model": base64.b64encode(model).decode()}
    draw, kind = Random(47), import_module("sacrebleu").BLEU
    pairs = [
        ("", "a"),
        ("a\u2028b", "a b"),
        ("猫は魚を食べた。", "猫が魚を食べました。"),
        ("价格是3.5元,好吗？", "价格是 3.5 元，好吗？"),
    ]
    words = [
        "the",
        "cat",
        "sat,",
        "on",
        "3.5",
        "猫",
        "魚を",
        "食べた",
        "东京",
        "价格",
        "ア",
        "한국",
        "don't",
        "&amp;",
        "-",
        "(a)",
    ]
    words += ["。", "𠀀", "€5"]
    for low in (1, 4, 8):
        for _ in range(8):
            right = draw.choices(words, k=low + draw.randint(0, 6))
            said = [one if draw.random() < 0.8 else draw.choice(words) for one in right]
            join = draw.choice([" ", ""])
            pairs.append((join.join(said), join.join(right)))
    for tokenizer in ("13a", "intl", "char", "zh", "ja-mecab", "flores101", "flores200", "none"):
        for smooth, lowercase in (("exp", False), ("floor", True)):
            metric = kind(tokenize=tokenizer, smooth_method=smooth, lowercase=lowercase, effective_order=True)
            setting = {"tokenizer": tokenizer, "smooth": smooth, "lowercase": lowercase}
            for one, other in pairs:
                score = metric.sentence_score(one, [other]).score
                yield {**setting, "prediction": one, "reference": other, "score": score}
            all_said, all_right = map(list, zip(*pairs, strict=True))
            yield {**setting, "records": pairs, "score": metric.corpus_score(all_said, [all_right]).score}


def _small_model(folder: Path) -> bytes:
    """Return a small SentencePiece model that knows some words of several languages."""
    text = folder / "text.txt"
    text.write_text(
        "\n".join([" ".join(WORDS), "猫は魚を食べた。", "价格是 3.5 元", "the cat sat on the mat"] * 20), "utf-8"
    )
    import_module("sentencepiece").SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "small"), vocab_size=70, normalization_rule_name="identity",
        character_coverage=1.0, hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    return (folder / "small.model").read_bytes()


def equations() -> Iterator[Row]:
    """Yield pairs of equations with what OlympiadBench's judge says of them; None where its code fails."""
    yield {
        "official": "OpenBMB/OlympiadBench ba5b26a inference/code/math_judger.py equation_equal",
        "note": "SymPy 1.14",
    }
    draw, judge = Random(53), import_module("math_judger").MathJudger()
    texts = ["2x+4=0", "x+2=0", "x=-2", "-x=2", "2x=4", "3x=6", "y=x", "y=2x+1", "2y=4x+2", "x^2+y^2=1"]
    texts += ["2x^2+2y^2=2", "\\frac{x}{2}+\\frac{y}{3}=1", "3x+2y=6", "y=\\sqrt{x}", "y^2=x", "1=1", "1=2", "2=4"]
    texts += ["x=x", "x+1", "x=1=y", "", "=", "\\frac{x^2}{4}+y^2=1", "x^2+4y^2=4", "y=\\frac{1}{x}", "xy=1"]
    texts += ["\\pi x=1", "x=\\frac{1}{\\pi}", "2x=2\\pi", "x=\\pi", "\\sin x=0", "2\\sin x=0", "y-1=2(x-3)", "y=2x-5"]
    texts += ["x<2", "x=0.5", "2x=1", "(x-1)^2=0", "x^2-2x+1=0", "\\frac{x}=1"]
    pairs = [*pairwise(texts), *((draw.choice(texts), draw.choice(texts)) for _ in range(60))]
    factors = ["2", "3", "-1", r"\frac{1}{2}", r"\frac{2}{3}", "0.5", r"\pi", "x"]
    for one in ("x=5", "y=3x-1", "x^2=4", r"x+\sqrt{y}=z"):
        left, right = one.split("=")
        pairs += [(one, rf"{factor} \cdot ({left})={factor} \cdot ({right})") for factor in factors]
    for one, other in pairs:
        try:
            same = bool(judge.equation_equal(one, other))
        except Exception:  # the parser raises exceptions of several packages
            same = None
        yield {"reference": one, "prediction": other, "same": same}


def calibration_sizes() -> Iterator[Row]:
    """Yield confidences and scores with the calibration errors of Hendrycks' released code for bins of a fixed size.

    Its order of equal confidences is that of a sort that is not stable, so confidences are distinct.
    """
    official = "hendrycks/outlier-exposure e6ede98 utils/calibration_tools.py calib_err"
    yield {"official": official, "note": "it leaves out the last bin, and fails for fewer records than one bin has"}
    numpy, error = import_module("numpy"), import_module("calibration_tools").calib_err
    draw = Random(59)
    for number in range(70):
        count, size = draw.randint(8, 90), draw.randint(1, 8)
        sure = [one / 1000 for one in draw.sample(range(1001), count)]
        bend = draw.choice([0.5, 1.0, 2.0])
        right = [draw.choice([0.0, 0.5, 1.0]) if number % 7 == 0 else float(draw.random() < one**bend) for one in sure]
        columns = numpy.array(sure), numpy.array(right)
        found = {gaps: float(error(*columns, p=p, beta=size)) for gaps, p in (("absolute", "1"), ("squares", "2"))}
        yield {"confidence": sure, "score": right, "size": size, **found}


def punctuation() -> Iterator[Row]:
    """Yield texts with what MLQA's evaluation leaves of them as it removes punctuation of all scripts."""
    yield {
        "official": "facebookresearch/MLQA mlqa_evaluation_v1.py PUNCT",
        "note": "category P of Unicode, and string.punctuation",
    }
    marks, draw = import_module("mlqa_evaluation_v1").PUNCT, Random(61)
    letters = "aé日5 «»„“”‘’—–-…。、，！？（）「」『』【】$€£¥+=<>|~^`´¨©®°§¶†‡•·٪،؟۔।॥¿¡_#@&%*/\\'\"🙂\u200d\u0301"
    texts = ["", " ", "¿Qué? ¡No!", "«Łódź» (1.5 €)", "日本語。", "كيف؟", "क्या?।", "a_b|c~d", "2+2=4"]
    texts += ["".join(draw.choices(letters, k=draw.randint(1, 20))) for _ in range(70)]
    for text in texts:
        yield {"text": text, "made": "".join(one for one in text if one not in marks)}
