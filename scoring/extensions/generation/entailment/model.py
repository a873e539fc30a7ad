"""The protocol of entailment models, their selection, and a model that runs in this process."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Literal, Protocol, runtime_checkable

from scoring.effects import temporarily_set
from scoring.extensions.extras import optional
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_LONGEST = 20_000


@runtime_checkable
class EntailmentModel(Protocol):
    """The interface of a model that estimates how likely a hypothesis follows from a premise."""

    def probabilities(self, premise: str, hypothesis: str) -> Mapping[str, float]:
        """Return the probability of each of the model's labels, in lower case; one of them is ``entailment``."""


class LocalModel:
    """A text-classification model of the `transformers` library, from a folder or a hub, which runs on the CPU."""

    def __init__(self, name: str) -> None:
        transformers = optional("transformers", extra="nli", purpose="entailment")
        self._torch = optional("torch", extra="nli", purpose="entailment")
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        self._model = transformers.AutoModelForSequenceClassification.from_pretrained(name).eval()
        self._labels = {int(place): str(label).lower() for place, label in self._model.config.id2label.items()}
        if "entailment" not in self._labels.values():
            raise Unscored(f"the model {name!r} has no label `entailment`: {sorted(self._labels.values())}")
        positions = getattr(self._model.config, "max_position_embeddings", None) or 512
        self._longest = max(8, min(self._tokenizer.model_max_length, positions, 4096))
        self._lock = threading.Lock()

    def probabilities(self, premise: str, hypothesis: str) -> Mapping[str, float]:
        """Return the probability of each of the model's labels, in lower case, by a softmax over its outputs."""
        with self._lock, self._torch.no_grad():
            inputs: Any = self._tokenizer(
                premise[:_LONGEST],
                hypothesis[:_LONGEST],
                return_tensors="pt",
                truncation=True,
                max_length=self._longest,
            )
            shares = self._model(**inputs).logits.softmax(-1)[0].tolist()
        return {self._labels[place]: float(share) for place, share in enumerate(shares)}


@functools.lru_cache(maxsize=2)
def local_model(name: str) -> LocalModel:
    """Return the `transformers` model in the folder `name`, or of that name on the hub; it is loaded once per process.

    Raises:
        Unscored: when the extra is not installed, or the model can't be loaded.
    """
    try:
        return LocalModel(name)
    except (OSError, ValueError) as error:
        raise Unscored(f"the entailment model {name!r} can't be loaded: {str(error)[:200]}") from None


_chosen: ContextVar[EntailmentModel | None] = ContextVar("entailment_model", default=None)


def use_entailment_model(model: EntailmentModel) -> AbstractContextManager[EntailmentModel]:
    """Return a context in which `model` is the entailment model of this thread."""
    return temporarily_set(_chosen, model)


def current_model(name: str | None = None) -> EntailmentModel:
    """Return the entailment model to use: the one called `name`, else the one set by `use_entailment_model`, else that
    of SCORING_NLI_MODEL.

    Raises:
        Unscored: when no model is configured, or it can't be loaded.
    """
    chosen = _chosen.get()
    if name is None and chosen is not None:
        return chosen
    name = name or os.environ.get("SCORING_NLI_MODEL")
    if not name:
        raise Unscored("no entailment model is configured (a `model`, SCORING_NLI_MODEL, or use_entailment_model)")
    return local_model(name)


@primitive(
    uses=("torch", "transformers"), topics=("writing", "rubrics"), aka=("nli", "entailment", "factual consistency")
)
def entails(
    prediction: str,
    reference: str,
    /,
    *,
    model: str | None = None,
    premise: Literal["prediction", "reference"] = "prediction",
) -> Score:
    """Return the probability that one text follows from the other, estimated by an entailment model.

    Args:
        model: The folder or hub name of a `transformers` model with the label ``entailment``; by default the configured
            model.
        premise: The side that is the premise; the other is the hypothesis.


    Raises:
        Unscored: when no model is configured or it can't be loaded.

    Examples:
        >>> from scoring.extensions.generation.entailment.model import use_entailment_model
        >>> class Certain:
        ...     def probabilities(self, premise, hypothesis):
        ...         return {"entailment": float(hypothesis in premise)}
        >>> with use_entailment_model(Certain()):
        ...     entails("a black cat sleeps", "cat")
        1.0

    Source:
        Dagan et al. 2006, recognising textual entailment; as used in MEGA-Bench, nli_entailment.
    """
    premise_text, follows = (prediction, reference) if premise == "prediction" else (reference, prediction)
    return current_model(model).probabilities(premise_text, follows)["entailment"]
