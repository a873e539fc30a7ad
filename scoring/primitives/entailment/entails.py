"""Whether a reference follows from a response."""

from __future__ import annotations

from typing import Literal

from scoring.primitives.entailment.model import current_model
from scoring.registry import primitive
from scoring.values import Score


@primitive(uses=("torch", "transformers"))
def entails(
    prediction: str,
    reference: str,
    /,
    *,
    model: str | None = None,
    premise: Literal["prediction", "reference"] = "prediction",
) -> Score:
    """The probability that one text follows from the other, by an entailment model.

    Args:
        model: A folder or a hub name of a `transformers` model with the label ``entailment``; by default the chosen
            one.
        premise: The side that is taken as given; the other one is what should follow.

    Raises:
        Unscored: when no model is configured or it can't be loaded.

    Examples:
        >>> from scoring.primitives.entailment.model import use_entailment_model
        >>> class Certain:
        ...     def probabilities(self, premise, hypothesis):
        ...         return {"entailment": float(hypothesis in premise)}
        >>> with use_entailment_model(Certain()):
        ...     entails("a black cat sleeps", "cat")
        1.0

    Source:
        Dagan et al. 2006, recognising textual entailment; MEGA-Bench, nli_entailment.
    """
    given, follows = (prediction, reference) if premise == "prediction" else (reference, prediction)
    return current_model(model).probabilities(given, follows)["entailment"]
