"""METEOR as the library NLTK computes it: words matched as they are, by their stems and by their synonyms."""

from __future__ import annotations

import contextlib
import functools
import threading
import warnings
from typing import Any, Literal

from scoring.primitives.extras import optional
from scoring.primitives.generation.models import model_folder
from scoring.primitives.generation.translation import references_of
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

MOST_CHARACTERS = 100_000
"""Characters of a text."""
MOST_LETTERS = 200
"""Letters of a word: stems of longer ones take long."""
_at_work = threading.Lock()


@primitive(
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
    """METEOR as NLTK computes it, the METEOR of 2007: words in lower case that are equal, have one stem or one meaning.

    The recall of matched words counts nine times as much as their precision, and the more stretches they stand in, the
    less. Of several references the best one counts. The released program of METEOR 1.5 (Java) is another rule: it has
    tables of paraphrases, weighs function words less and other parameters, and its numbers are not these.

    Args:
        synonyms: Whether stems match that WordNet has in one set, as in NLTK's default. Its files stand in the folder
            `wordnet` below `SCORING_MODELS`, as `python -m nltk.downloader -d FOLDER wordnet` puts them there.
        digest: How the digest of WordNet's files begins, of which 16 digits or more are wanted; a wrong one is told the
            right one.
        words: What words are: what stands between white space, or NLTK's tokens after those of the Penn Treebank.

    Raises:
        Unscored: when the library or WordNet is not there, WordNet's files have another digest, or a text is too long.

    Examples:
        >>> round(meteor("the cats sat on the mat", "the cat sat on the mat"), 4)
        0.9977

    Source:
        Lavie, Agarwal: METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation with Human
        Judgments, 2007; `nltk.translate.meteor_score`.
    """
    package = optional("nltk.translate.meteor_score", extra="meteor", purpose="METEOR")
    if synonyms == "none":
        dictionary: Any = _NoSynonyms()
    else:
        if digest is None:
            raise Unscored("METEOR with synonyms wants the `digest` of WordNet's files: give any, and it is told")
        dictionary = _wordnet(str(model_folder("wordnet", digest, "METEOR with synonyms")))
    references = [_tokens(text, words) for text in references_of(reference)]
    with _at_work:  # NLTK's WordNet opens its files as it reads
        return float(package.meteor_score(references, _tokens(prediction, words), wordnet=dictionary))


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


class _NoSynonyms:
    """Stands where NLTK asks for WordNet, and knows no word."""

    def synsets(self, word: str) -> list[Any]:
        return []


@functools.lru_cache(maxsize=2)
def _wordnet(folder: str) -> Any:
    data = optional("nltk.data", extra="meteor", purpose="METEOR")
    reader = optional("nltk.corpus.reader.wordnet", extra="meteor", purpose="METEOR")
    if folder not in data.path:
        data.path.insert(0, folder)  # elsewhere NLTK reads nothing
    for place in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        with contextlib.suppress(LookupError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has one language
            return reader.WordNetCorpusReader(data.find(place, paths=[folder]), None)
    raise Unscored("the folder `wordnet` below SCORING_MODELS holds no WordNet as NLTK's downloader puts it there")
