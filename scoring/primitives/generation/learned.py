"""Learned metrics of texts through their libraries: BERTScore and COMET, with a model that is pinned by its digest."""

from __future__ import annotations

import functools
import math
import threading
from typing import Annotated, Any, Literal, TypeAlias

from scoring.primitives.extras import optional
from scoring.primitives.generation.models import model_folder
from scoring.primitives.generation.translation import references_of
from scoring.registry import AtLeast, Says, primitive
from scoring.result import Unscored
from scoring.values import Score

LONGEST = 20_000
"""Characters of a text that a model is given; it cuts them itself long before."""
ModelSetting: TypeAlias = Annotated[str, Says("The folder of the model below the folder `SCORING_MODELS`.")]
DigestSetting: TypeAlias = Annotated[
    str,
    Says(
        "How the digest of its files begins, of which 16 digits or more are wanted; a wrong one is told the right one."
    ),
]
_at_work = threading.Lock()


@primitive(
    uses=("bert-score",),
    range=(-1.0, 1.0),
    topics=("writing",),
    aka=("embedding similarity", "semantic similarity of texts"),
)
def bertscore(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    model: ModelSetting,
    digest: DigestSetting,
    layer: Annotated[int, AtLeast(1)],
    figure: Literal["f1", "precision", "recall"] = "f1",
) -> Score:
    """BERTScore by its library: how well the tokens of two texts find one another by their embeddings, from -1 to 1.

    Of several references the best one counts. There are no weights by rarity (idf) and no baseline: rescaling by a
    baseline `b` is the formula `(x - b) / (1 - b)`. Each pair is scored alone, so batches give what single pairs give.

    Args:
        layer: The layer whose embeddings are compared (17 of `roberta-large`).
        figure: The figure that is the score.

    Raises:
        Unscored: when the library or the model is not there, the model's files have another digest, or a text is blank
            or has more than 20,000 characters.

    Examples:
        >>> try:
        ...     bertscore("a" * 20_001, "b", model="roberta-large", digest="0" * 16, layer=17)
        ... except Unscored as reason:
        ...     print(reason)
        a text of more than 20,000 characters is not given to a model

    Source:
        Zhang, Kishore, Wu, Weinberger, Artzi: BERTScore: Evaluating Text Generation with BERT, 2020.
    """
    references = references_of(reference)
    _check(prediction, *references)
    scorer = _bert_scorer(str(model_folder(model, digest, "BERTScore")), layer)
    with _at_work:
        found = scorer.score([prediction], [references], batch_size=2)
    return float(found[("precision", "recall", "f1").index(figure)][0])


@primitive(
    uses=("unbabel-comet",),
    range=(-math.inf, math.inf),
    topics=("writing",),
    aka=("comet-22", "cometkiwi", "quality estimation", "machine translation quality"),
)
def comet(
    prediction: str, reference: str, /, *, model: ModelSetting, digest: DigestSetting, source: str | None = None
) -> Score:
    """COMET by its library: how good a translation is, as a trained model tells; most give about 0 to 1.

    Each pair is scored alone on the processor, so that a batch gives what single pairs give.

    Args:
        source: The text that was translated, mostly a path such as `record.source`; most models want one.

    Raises:
        Unscored: when the library or the model is not there, the model's files have another digest, or a text has more
            than 20,000 characters.

    Examples:
        >>> try:
        ...     comet("a" * 20_001, "b", model="wmt22-comet-da", digest="0" * 16, source="c")
        ... except Unscored as reason:
        ...     print(reason)
        a text of more than 20,000 characters is not given to a model

    Source:
        Rei, Stewart, Farinha, Lavie: COMET: A Neural Framework for MT Evaluation, 2020.
    """
    _check(prediction, reference, source or "")
    loaded = _comet_model(str(model_folder(model, digest, "COMET")))
    record = {"mt": prediction, "ref": reference, **({} if source is None else {"src": source})}
    with _at_work:
        found = loaded.predict([record], batch_size=1, gpus=0, progress_bar=False, num_workers=1)
    return float(found.scores[0])


def _check(*texts: str) -> None:
    if any(len(text) > LONGEST for text in texts):
        raise Unscored(f"a text of more than {LONGEST:,} characters is not given to a model")


@functools.lru_cache(maxsize=2)
def _bert_scorer(folder: str, layer: int) -> Any:
    package = optional("bert_score", extra="bertscore", purpose="BERTScore")
    try:
        return package.BERTScorer(model_type=folder, num_layers=layer, idf=False, device="cpu")
    except (OSError, ValueError, AssertionError, IndexError) as error:
        raise Unscored(f"the model can't be loaded: {str(error)[:200]}") from None


@functools.lru_cache(maxsize=2)
def _comet_model(folder: str) -> Any:
    package = optional("comet", extra="comet", purpose="COMET")
    try:
        return package.load_from_checkpoint(f"{folder}/checkpoints/model.ckpt").eval()
    except (OSError, ValueError, KeyError, AssertionError) as error:
        raise Unscored(f"the model can't be loaded: {str(error)[:200]}") from None
