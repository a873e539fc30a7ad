"""Transforms of the words of a text."""

from __future__ import annotations

from scoring.registry import primitive


@primitive(laws=("idempotent",), topics=("text", "answers"), aka=("remove articles", "strip articles"))
def drop_articles(text: str, /, *, articles: list[str] | None = None) -> str:
    """Remove articles from the text, ignoring their case.

    Args:
        articles: The words to remove; the English `a`, `an` and `the` by default.

    Examples:
        >>> drop_articles("The cat and a dog"), drop_articles("das Haus", articles=["Das"])
        ('cat and dog', 'Haus')
    """
    dropped = _ARTICLES if articles is None else [one.lower() for one in articles]
    padded = f" {text.lower()} "
    for article in dropped:
        if f" {article} " in padded:
            break
    else:
        return text  # most texts have none
    return " ".join([word for word in text.split(" ") if word.lower() not in dropped])


_ARTICLES = ["a", "an", "the"]
