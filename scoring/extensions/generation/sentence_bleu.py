"""BLEU as sacrebleu computes it, with its tokenizers; the models that some of them need are never downloaded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from scoring.extensions.extras import optional
from scoring.extensions.generation.learned import model_folder
from scoring.extensions.generation.translation import references_of, sacrebleu_metric
from scoring.registry import Doc, primitive
from scoring.result import Unscored
from scoring.values import Score

Smoothing: TypeAlias = Annotated[
    Literal["exp", "floor", "add-k", "none"], Doc("The replacement for a precision of 0, by its name in sacrebleu.")
]
Tokenizer: TypeAlias = Annotated[
    Literal["13a", "intl", "char", "zh", "ja-mecab", "flores101", "flores200", "none"],
    Doc(
        "The tokenizer, by its name in sacrebleu. `zh` is for Chinese, `ja-mecab` for Japanese (extra `japanese`); "
        "`flores101` and `flores200`, of spBLEU, are for any language (extra `spbleu`, and a model)."
    ),
]
TokenizerModel: TypeAlias = Annotated[
    str, Doc("For `flores101` and `flores200` the folder below `SCORING_MODELS` with the SentencePiece model.")
]
TokenizerDigest: TypeAlias = Annotated[
    str, Doc("How the digest of that folder begins, 16 digits or more; the message about a wrong one gives the right.")
]

_OF_MODELS = ("flores101", "flores200")
_LONGEST = 5_000
"""The most characters that MeCab splits at once: a run of letters takes it time with the square of their number."""


@functools.lru_cache(maxsize=64)
def bleu_metric(smooth: str, tokenizer: str, lowercase: bool, model: str, digest: str) -> Any:
    """Return sacrebleu's BLEU of sentences with the given settings; equal calls return one object.

    Raises:
        Unscored: when sacrebleu, or what the tokenizer needs, is missing.
    """
    metric = functools.partial(
        sacrebleu_metric, "BLEU", smooth_method=smooth, lowercase=lowercase, effective_order=True
    )
    if tokenizer not in (*_OF_MODELS, "ja-mecab"):
        return metric(tokenize=tokenizer)
    # One of its own, since `sacrebleu_metric` keeps what it makes, and this one gets another tokenizer.
    found = type(metric(tokenize="none"))(
        tokenize="none", smooth_method=smooth, lowercase=lowercase, effective_order=True
    )
    found.tokenizer = _japanese() if tokenizer == "ja-mecab" else _of_model(tokenizer, model, digest)
    return found


def _japanese() -> Callable[[str], str]:
    """Return sacrebleu's tokenizer for Japanese, for texts of any length."""
    purpose = "the tokenizer `ja-mecab`"
    optional("MeCab", extra="japanese", purpose=purpose)
    optional("ipadic", extra="japanese", purpose=purpose)
    kind = optional("sacrebleu.tokenizers.tokenizer_ja_mecab", extra="japanese", purpose=purpose).TokenizerJaMecab
    try:
        words = kind()
    except (AssertionError, RuntimeError) as error:
        raise Unscored(f"{purpose} can't be used: {str(error).strip()[:200]}") from None

    def tokens(line: str) -> str:
        line = _readable(line)
        if len(line) <= _LONGEST:
            return str(words(line))
        return " ".join(words(line[start : start + _LONGEST]) for start in range(0, len(line), _LONGEST))

    return tokens


def _of_model(tokenizer: str, name: str, digest: str) -> Callable[[str], str]:
    """Return the tokenizer of the SentencePiece model in a folder.

    Raises:
        Unscored: when the library or the model is missing, or the model is another one than the digest says.
    """
    purpose = f"the tokenizer `{tokenizer}`"
    library = optional("sentencepiece", extra="spbleu", purpose=purpose)
    folder = model_folder(name, digest, purpose)
    try:
        pieces = library.SentencePieceProcessor(model_file=str(_only_model(folder, purpose)))
    except (OSError, RuntimeError) as error:
        raise Unscored(f"{purpose} can't read its model: {str(error)[:200]}") from None
    return lambda line: " ".join(pieces.encode(_readable(line), out_type=str))


def _only_model(folder: Path, purpose: str) -> Path:
    found = sorted(folder.glob("*.model"))
    if len(found) != 1:
        raise Unscored(f"{purpose} needs one file `*.model` in the folder of its model, not {len(found)}")
    return found[0]


def _readable(line: str) -> str:
    """Return the text without what libraries in C can't read: lone surrogates, and the character that ends a text."""
    return line.replace("\0", " ").encode("utf-8", "replace").decode()


@primitive(
    uses=("ipadic", "mecab-python3", "sacrebleu", "sentencepiece"), topics=("writing",), aka=("sentence bleu", "spbleu")
)
def sacrebleu_sentence(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    smooth: Smoothing = "exp",
    tokenizer: Tokenizer = "13a",
    lowercase: bool = False,
    model: TokenizerModel = "",
    digest: TokenizerDigest = "",
) -> Score:
    """Return the sentence BLEU as sacrebleu computes it, divided by 100.

    Args:
        lowercase: Whether case is ignored.

    Examples:
        >>> round(sacrebleu_sentence("The dog bit the man.", "The dog bit the man."), 6)
        1.0
        >>> round(sacrebleu_sentence("我来自北京", "我来自南京", tokenizer="zh"), 6)
        0.427287

    Source:
        M. Post, "A call for clarity in reporting BLEU scores", 2018; N. Goyal et al., "The Flores-101 evaluation
        benchmark", 2022, section 5, for spBLEU.
    """
    metric = bleu_metric(smooth, tokenizer, lowercase, model, digest)
    score: float = metric.sentence_score(prediction, references_of(reference)).score
    # The score of a perfect match in sacrebleu is 100.00000000000004.
    return min(score / 100, 1.0)
