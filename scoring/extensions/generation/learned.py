"""Metrics that require a library and local model files: BERTScore, COMET, and METEOR with WordNet."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import os
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal, TypeAlias

from scoring.extensions.extras import optional
from scoring.extensions.generation.translation import references_of
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import AtLeast, Doc, primitive
from scoring.result import Unscored
from scoring.values import Score

MOST_FILES = 1_000
"""Files that the folder of a model has at most."""
_NAME = lazy_pattern(r"\w[\w.-]*(?:/\w[\w.-]*)*")
_FEWEST_DIGITS = 16


def model_folder(name: str, digest: str, purpose: str) -> Path:
    """Return the folder of a model after checking that its files have the expected digest; nothing is downloaded.

    Args:
        name: The folder below `SCORING_MODELS`.
        digest: The expected digest of its files, or at least its first 16 digits.
        purpose: The metric that needs the model, for messages.

    Raises:
        Unscored: when there is no such folder, or its files have another digest, which the message contains.
    """
    root = os.environ.get("SCORING_MODELS")
    if not root:
        raise Unscored(f"{purpose} needs a model, but SCORING_MODELS does not name a folder of models")
    if _NAME.fullmatch(name) is None:
        raise Unscored(f"{name[:80]!r} is not the name of a folder below SCORING_MODELS")
    folder = Path(root) / name
    if not folder.is_dir():
        raise Unscored(f"{purpose} needs the model `{name}`, which is not a folder below SCORING_MODELS")
    found = digest_of_files(folder)
    if len(digest) < _FEWEST_DIGITS or not found.startswith(digest.lower()):
        raise Unscored(f"the files of the model `{name}` have another digest: {found[:_FEWEST_DIGITS]}…")
    return folder


@functools.lru_cache(maxsize=8)
def digest_of_files(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of all files below a folder, except hidden ones.

    It is computed once per process.

    Raises:
        Unscored: when there are too many files, or one can't be read.
    """
    digest, count = hashlib.sha256(), 0
    try:
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if not path.is_file() or any(part.startswith(".") for part in inner.parts):
                continue
            count += 1
            if count > MOST_FILES:
                raise Unscored(f"the folder of a model has more than {MOST_FILES:,} files")
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{inner.as_posix()}\0{content}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise Unscored(f"the files of a model can't be read: {error.strerror}") from None
    return digest.hexdigest()


LONGEST = 20_000
"""The most characters of a text for a model, which truncates texts long before."""
ModelSetting: TypeAlias = Annotated[str, Doc("The folder of the model below the folder `SCORING_MODELS`.")]
DigestSetting: TypeAlias = Annotated[
    str,
    Doc("How the digest of its files begins, 16 digits or more; the message about a wrong one gives the right one."),
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
    """Return the BERTScore, from -1 to 1: how well the tokens of two texts match by their embeddings.

    It is computed by the library `bert-score`. Of several references the best one counts. Tokens are not weighted by
    rarity (idf), and there is no baseline: rescaling by a baseline `b` is the formula `(x - b) / (1 - b)`. Each pair is
    scored separately, so that scores don't depend on the batch.

    Args:
        layer: The layer whose embeddings are compared (17 of `roberta-large`).
        figure: The figure that is the score.

    Raises:
        Unscored: when the library or the model is missing, the model's files have another digest, or a text has more
            than 20,000 characters.

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
    """Return the COMET score of a translation, estimated by a trained model; most models give about 0 to 1.

    It is computed by the library `unbabel-comet`, on the CPU. Each pair is scored separately, so that scores don't
    depend on the batch.

    Args:
        source: The text that was translated, usually a path such as `record.source`; most models require it.

    Raises:
        Unscored: when the library or the model is missing, the model's files have another digest, or a text has more
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
    package = optional("comet", extra="comet", purpose="COMET (Python 3.11 or 3.12)")
    try:
        return package.load_from_checkpoint(f"{folder}/checkpoints/model.ckpt").eval()
    except (OSError, ValueError, KeyError, AssertionError) as error:
        raise Unscored(f"the model can't be loaded: {str(error)[:200]}") from None


MOST_CHARACTERS = 100_000
"""The most characters of a text."""
MOST_LETTERS = 200
"""Letters of a word: stems of longer ones take long."""


@primitive(
    laws=("below_one",),
    uses=("nltk",),
    topics=("writing",),
    aka=("metric for evaluation of translation with explicit ordering", "synonym matching"),
)
def meteor(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    synonyms: Literal["none", "wordnet"] = "none",
    digest: str | None = None,
    words: Literal["spaces", "treebank"] = "spaces",
) -> Score:
    """Return the METEOR of 2007, as NLTK computes it: lower-case words match if equal, by their stems or as synonyms.

    The recall of matched words weighs nine times as much as their precision, and the more separate stretches they form,
    the lower the score. Of several references the best one counts. The released program of METEOR 1.5 (Java) gives
    other numbers: it has tables of paraphrases, lower weights for function words, and other parameters.

    Args:
        synonyms: Whether words match that are synonyms in WordNet, as by default in NLTK. Its files must be in the
            folder `wordnet` below `SCORING_MODELS`, where `python -m nltk.downloader -d FOLDER wordnet` writes them.
        digest: The digest of WordNet's files, or at least its first 16 digits; the message about a wrong one contains
            the right one.
        words: The way of splitting words: at white space, or by NLTK's Penn Treebank tokenizer.

    Raises:
        Unscored: when the library or WordNet is missing, WordNet's files have another digest, or a text is too long.

    Examples:
        >>> round(meteor("the cats sat on the mat", "the cat sat on the mat"), 4)
        0.9977

    Source:
        Lavie, Agarwal: METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation with Human
        Judgments, 2007; `nltk.translate.meteor_score`.
    """
    package = optional("nltk.translate.meteor_score", extra="meteor", purpose="METEOR")
    dictionary: Any = SimpleNamespace(synsets=lambda word: [])  # replaces WordNet, without any words
    if synonyms != "none":
        if digest is None:
            raise Unscored(
                "METEOR with synonyms needs the `digest` of WordNet's files: give any, and the error says the right one"
            )
        dictionary = _wordnet(str(model_folder("wordnet", digest, "METEOR with synonyms")))
    references = [_tokens(text, words) for text in references_of(reference)]
    with _at_work:  # NLTK's WordNet opens files while it reads
        found = package.meteor_score(references, _tokens(prediction, words), stemmer=_stemmer(), wordnet=dictionary)
        return float(found)


@functools.cache
def _stemmer() -> Any:
    """Return NLTK's default stemmer with a cache of stems, as stemming takes half of the time."""
    package = optional("nltk.stem.porter", extra="meteor", purpose="METEOR")
    return SimpleNamespace(stem=functools.lru_cache(maxsize=1 << 16)(package.PorterStemmer().stem))


def _tokens(text: str, words: str) -> list[str]:
    if len(text) > MOST_CHARACTERS:
        raise Unscored(f"a text of more than {MOST_CHARACTERS:,} characters is too long for METEOR")
    if words == "spaces":
        found = text.split()
    else:
        package = optional("nltk.tokenize", extra="meteor", purpose="tokens of the Penn Treebank")
        found = package.NLTKWordTokenizer().tokenize(text)
    if any(len(word) > MOST_LETTERS for word in found):
        raise Unscored(f"a word of more than {MOST_LETTERS} letters has no stem")
    return list(found)


@functools.lru_cache(maxsize=2)
def _wordnet(folder: str) -> Any:
    data = optional("nltk.data", extra="meteor", purpose="METEOR")
    reader = optional("nltk.corpus.reader.wordnet", extra="meteor", purpose="METEOR")
    if folder not in data.path:
        data.path.insert(0, folder)  # NLTK reads files in these folders only
    for place in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        with contextlib.suppress(LookupError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning that it has only one language
            return reader.WordNetCorpusReader(data.find(place, paths=[folder]), None)
    raise Unscored("the folder `wordnet` below SCORING_MODELS holds no WordNet as NLTK's downloader puts it there")
