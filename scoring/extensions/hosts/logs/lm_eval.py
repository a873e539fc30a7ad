"""The samples that lm-evaluation-harness writes with `--log_samples`: a line for each document and filter.

Settings choose what is scored, since a line has the responses twice, and its target only as a text:

- `filter=NAME` scores what that filter made of the responses; without it they are scored as the model gave them.
- `responses=all` makes a record of each response to a document, where there are several; `responses=first`, the usual,
  one of the first.
- `target=literal` reads the target as the Python value whose text the harness wrote, such as a list of answers, and
  `target=doc.PATH` reads it from the document itself.
- `choice=text` takes the text of the likeliest option of multiple choice; `choice=index`, the usual, its number.

Source:
    EleutherAI, lm-evaluation-harness 0.4.13, lm_eval/evaluator.py and lm_eval/loggers/evaluation_tracker.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.compiler.records.record_reader import reader
from scoring.data.file import InputFile
from scoring.data.json_write import dumps
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import listed
from scoring.errors import InputError
from scoring.extensions.hosts.logs.harness_responses import NoResponse, chosen_option, responses_of
from scoring.extensions.hosts.logs.harness_results import write_figures
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, json_lines, record_of
from scoring.primitives.parsing.literal import literal_or_itself

_RESPONSES, _CHOICES = ("first", "all"), ("index", "text")


class _Reading(Struct, frozen=True):
    """What is read of each line.

    Args:
        filter: The filter whose lines are read.
        is_filtered: Whether its responses are read, rather than those of the model.
        takes_all: Whether each response to a document is a record.
        choice: Whether the likeliest option is its number or its text.
        target: Returns the reference of a line.
    """

    filter: str
    is_filtered: bool
    takes_all: bool
    choice: str
    target: Callable[[dict[str, Any]], Any]

    def samples(self, number: Any, line: dict[str, Any]) -> Iterator[Sample]:
        """Yield the samples of a line."""
        if str(line.get("filter")) != self.filter:
            yield Sample(number, None)
            return
        try:
            option = chosen_option(line, self.is_filtered)
            if option is not None:
                responses: list[Any] = [option.text if self.choice == "text" else option.number]
            else:
                responses = responses_of(line, self.is_filtered)
        except NoResponse as error:
            yield Sample(number, ValueError(str(error)))
            return
        if not self.takes_all:
            yield Sample(number, self._record(line, responses[0] if responses else None))
            return
        for place, response in enumerate(responses, 1):
            yield Sample(_numbered(number, place), self._record(line, response))

    def _record(self, line: dict[str, Any], response: Any) -> dict[str, Any] | ValueError:
        doc = line.get("doc")
        more = doc if isinstance(doc, dict) else None
        return record_of(line.get("doc_id"), response, self.target(line), context=_prompt(line), more=more)


def _numbered(number: Any, place: int) -> str:
    return f"{number}, response {place}"


def _prompt(line: dict[str, Any]) -> Any:
    """Return what the model was asked; None if the line does not say."""
    arguments = line.get("arguments")
    first = arguments.get("gen_args_0") if isinstance(arguments, dict) else None
    return first.get("arg_0") if isinstance(first, dict) else None


def _reading(file: InputFile) -> _Reading:
    """Return how the lines of a file are read, by its settings.

    Raises:
        InputError: for settings that there are not, and where the file has several filters and none is chosen.
    """
    settings = file.settings
    responses, choice = settings.get("responses", "first"), settings.get("choice", "index")
    for name, value, known in (("responses", responses, _RESPONSES), ("choice", choice, _CHOICES)):
        if value not in known:
            raise InputError(f"`{name}` of lm-eval is {listed(known, 'or')}, not `{value:.40}`")
    chosen = settings.get("filter")
    names = list(dict.fromkeys(str(line.get("filter")) for _, line in json_lines(file) if isinstance(line, dict)))
    if chosen is None and "responses" not in settings and len(names) > 1:
        raise InputError(
            f"{file.name} has what the filters {listed(names, 'and')} made of each response; score one of them by "
            f"`--input-format lm-eval,filter={names[0]}`, or what the model itself gave by "
            "`--input-format lm-eval,responses=first`"
        )
    if chosen is not None and chosen not in names:
        raise InputError(f"{file.name} has no filter `{chosen:.80}`; it has {listed(names, 'and')}")
    first = chosen or (names[0] if names else "")
    return _Reading(first, chosen is not None, responses == "all", choice, _target(settings.get("target", "text")))


def _target(form: str) -> Callable[[dict[str, Any]], Any]:
    if form == "text":
        return lambda line: line.get("target")
    if form == "literal":
        return lambda line: literal_or_itself(text) if isinstance(text := line.get("target"), str) else text
    where, _, path = form.partition(".")
    if where != "doc" or not path:
        raise InputError(f"`target` of lm-eval is `text`, `literal` or a path such as `doc.answer`, not `{form:.80}`")
    try:
        read = reader(path)
    except SpecError as error:
        raise InputError(f"`target` of lm-eval is no path: {error.diagnostics[0].message}") from error
    return lambda line: read(doc) if isinstance(doc := line.get("doc"), dict) else None


def _samples(file: InputFile) -> Iterator[Sample]:
    reading = _reading(file)
    for number, line in json_lines(file):
        if isinstance(line, ValueError):
            yield Sample(number, line)
        else:
            yield from reading.samples(number, line)


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    """Write the lines with a key `scoring`, and the figures into the file of results that belongs to them."""
    reading = _reading(file)
    with path.open("w", encoding="utf-8") as stream:
        for number, line in json_lines(file):
            if isinstance(line, dict):  # a broken line has no place for a score
                found = [verdicts.data_of(one.number) for one in reading.samples(number, line)]
                scored = [one for one in found if one is not None]
                own = scored if reading.takes_all else scored[0] if scored else None
                stream.write(dumps({**line, "scoring": own} if scored else line) + "\n")
    write_figures(Path(file.address), reading.filter, verdicts, path)


LOG = HostLog(
    "lm-eval",
    "samples of lm-evaluation-harness",
    _samples,
    unit="line",
    holds=(('"doc_id"', '"filtered_resps"', '"arguments"'), ('{"doc_id": ', ', "doc": {')),  # a document may be long
    settings=("filter", "responses", "target", "choice"),
    write_back=_write_back,
)
