"""Three tasks with 200 records each, by which every adapter for a host is held to `scoring score`.

``invoices`` is the quickstart's spec; among its answers are truncated, empty, absent, fenced and wrongly typed ones,
and chat messages. ``landmark`` is a task of a published benchmark, whose references are texts in some records and lists
in others. ``judged`` asks a judge where a rule is unsure, and is replayed from a cache of replies, some of which can't
be read. A test takes a case, has the host score ``case.records``, and calls ``case.check(scores, headline)``.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import scoring
from scoring.cli.main import main
from scoring.extensions.judge import protocol
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.calls import Question
from scoring.extensions.judge.protocol import JudgeError, use_judge
from scoring.result import MISSING
from tests.support.golden import REPOSITORY
from tests.support.judged_files import PACK, TASK

CASES: Final = ("invoices", "landmark", "judged")
SIZE: Final = 200
MODEL: Final = "replayed-model"
Answers: TypeAlias = Literal["mixed", "texts", "messages"]
"""What the responses are: ``texts`` (None where absent), ``messages`` (each text as a chat), or ``mixed``: texts,
chats, and values that are already parsed."""

LANDMARK: Final = """\
kind: task
name: demo/landmark
version: 1.0.0
imports: {mega: megabench@1}
record: {id: id, response: response, reference: reference}
parse: mega.json
on_unparsed: raw
on_missing: pass
fields:
  landmark name: mega.near_str_match
  city: any_reference(mega.simple_str_match)
  country: mega.exact_str_match
aggregate: mean
metrics: [mean]
"""
_PLACES = (
    ("St. Lawrence Hall", "Toronto", "Canada"),
    ("Belém Tower", ["Lisbon", "Lisboa"], "Portugal"),
    ("Charles Bridge", ["Prague", "Praha"], "Czechia"),
    ("Hallgrímskirkja", "Reykjavik", "Iceland"),
    ("The Atomium", ["Brussels", "Brussel", "Bruxelles"], "Belgium"),
)
_VENDORS = ("The Blue Heron Café", "Nordlicht Werkzeug GmbH", "Atelier Brun", "Siop Lyfrau", "A. Müller & Söhne")
_ITEMS = ("flat white", "Bohrer-Satz", "carrot cake", "notebook", "Schleifpapier")


@dataclass(frozen=True)
class HostRecord:
    """A record as a host has it: its parts, and the whole line of the data file."""

    id: str
    response: Any
    reference: Any
    whole: Mapping[str, Any]


@dataclass(frozen=True)
class HostCase:
    """A task, its records, and what `scoring score` says of them.

    Args:
        name: One of `CASES`.
        spec: The file of the task.
        data: The file of the records, in JSON Lines.
        records: The same records, by their parts.
        environ: What the environment must have so that the judge's replies are found; empty for a task without one.
    """

    name: str
    spec: Path
    data: Path
    records: tuple[HostRecord, ...]
    environ: Mapping[str, str]

    @cached_property
    def run(self) -> Path:
        """The folder that `scoring score SPEC DATA -o FOLDER` wrote."""
        folder = self.spec.parent / f"{self.name}-run"
        with self.replaying():
            status = main(["score", str(self.spec), str(self.data), "-o", str(folder)])
        assert status == 0
        return folder

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """What `scoring score` wrote of each record: ``score``, ``status``, ``reason``, ``passed``, ``fields``."""
        return [json.loads(line) for line in (self.run / "scores.jsonl").read_text("utf-8").splitlines()]

    @property
    def scores(self) -> list[float | None]:
        """The score of each record by `scoring score`; None where it has none."""
        return [line.get("score") for line in self.lines]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary that `scoring score` wrote."""
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text("utf-8"))
        return found

    @property
    def headline(self) -> float:
        """The value of the task's first metric by `scoring score`."""
        return float(self.summary["metrics"][0]["value"])

    @property
    def meaning(self) -> str:
        """The part ``meaning:…`` of the signature by `scoring score`."""
        return meaning_of(self.summary["signature"])

    @contextmanager
    def replaying(self) -> Iterator[None]:
        """Let the judge of all threads, and of programs that are started meanwhile, be the cache of replies."""
        before = {name: os.environ.get(name) for name in self.environ}
        os.environ.update(self.environ)
        _close_judge()
        try:
            yield
        finally:
            _close_judge()
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def check(
        self,
        scores: Sequence[float | None] | Mapping[str, float | None],
        headline: float | None = None,
        *,
        host_adds: bool = False,
        signature: str | None = None,
    ) -> None:
        """Compare what a host found with `scoring score`, and fail where anything differs.

        Args:
            scores: The score of each record, in order or by id; None or NaN where there is none.
            headline: The host's figure for the task's first metric; not compared where None.
            host_adds: Whether the host averages itself, so that `is_mean_of` is what is asked of the headline.
            signature: A signature whose ``meaning:`` must be the same.
        """
        given = [scores.get(one.id) for one in self.records] if isinstance(scores, Mapping) else list(scores)
        found = [None if one is None or math.isnan(one) else one for one in given]
        assert len(found) == len(self.records)
        differ = [(one.id, a, b) for one, a, b in zip(self.records, found, self.scores, strict=True) if a != b]
        assert not differ, f"{len(differ)} of {len(found)} records differ: {differ[:5]}"
        if headline is not None:
            is_same = is_mean_of(headline, found, self.headline) if host_adds else headline == self.headline
            assert is_same, (headline, self.headline)
        if signature is not None:
            assert meaning_of(signature) == self.meaning


def is_mean_of(figure: float, values: Sequence[float | None], exact: float) -> bool:
    """Whether a host's own mean is right: within 2 units in the last place of the exact one, or, to the bit, what the
    values give that are added one to the next, each sum rounded, as hosts do that add up plain floats."""
    counted = [value for value in values if value is not None]
    return abs(figure - exact) <= 2 * math.ulp(exact) or figure == reduce(add, counted) / len(counted)


def _close_judge() -> None:
    """Take the judge of the process away, and close what it has open."""
    for judge in list(protocol._process):
        if not isinstance(judge, JudgeError):
            getattr(judge, "close", lambda: None)()
    protocol.set_judge(None)


def meaning_of(signature: str) -> str:
    """The part ``meaning:…`` of a signature."""
    return next(part for part in signature.split("|") if part.startswith("meaning:"))


def host_case(name: str, folder: Path, answers: Answers = "mixed") -> HostCase:
    """Write the files of a case into a folder, and return it.

    Args:
        name: One of `CASES`.
        folder: Where the files go, such as a test's `tmp_path`.
        answers: What the responses are; a host that has nothing but texts asks for ``texts``.
    """
    made = {"invoices": _invoices, "landmark": _landmark, "judged": _judged}[name]
    spec, rows, environ = made(folder)
    for place, row in enumerate(rows):
        row["id"] = f"{name}-{place:03}"
        row["said"] = _response(row["said"], place, answers)
    whole, records = [], []
    for row in rows:
        line = _line(name, row)
        whole.append(line)
        records.append(HostRecord(row["id"], row["said"], row["gold"], line))
    data = folder / f"{name}.jsonl"
    data.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in whole), encoding="utf-8")
    return HostCase(name, spec, data, tuple(records), environ)


def _line(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the data file: where a part is absent, so is its key."""
    gold = {} if row["gold"] is MISSING else {"gold" if name == "invoices" else "reference": row["gold"]}
    if name == "invoices":
        said = {"output": {} if row["said"] is None else {"text": row["said"]}}
    else:
        said = {} if row["said"] is None else {"response": row["said"]}
    return {"id": row["id"], **row["more"], **said, **gold}


def chat(text: str) -> list[dict[str, Any]]:
    """A conversation that ends with a text of the assistant."""
    return [{"role": "user", "content": "What do you see?"}, {"role": "assistant", "content": text}]


def _response(said: Any, place: int, answers: Answers) -> Any:
    if not isinstance(said, str) or answers == "texts":
        return said if isinstance(said, str | None) else json.dumps(said, ensure_ascii=False)
    return chat(said) if answers == "messages" or place % 7 == 3 else said


def _invoices(folder: Path) -> tuple[Path, list[dict[str, Any]], dict[str, str]]:
    spec = folder / "invoices.yaml"
    shutil.copy(REPOSITORY / "specs/quickstart/invoices.yaml", spec)
    draw = random.Random(30)
    return spec, [_invoice(draw, place) for place in range(SIZE)], {}


def _invoice(draw: random.Random, place: int) -> dict[str, Any]:
    lines = [{"item": draw.choice(_ITEMS), "qty": str(draw.randint(1, 40))} for _ in range(draw.randint(0, 3))]
    gold: Any = {"vendor": draw.choice(_VENDORS), "total": round(draw.uniform(1, 2000), 2), "lines": lines}
    answer: dict[str, Any] = json.loads(json.dumps(gold))
    match place % 5:
        case 1:
            answer["vendor"] = answer["vendor"].upper().replace("É", "e")
        case 2:
            answer["total"] = round(answer["total"] * draw.choice((1.005, 1.2)), 2)
        case 3:
            answer["lines"] = [{**one, "item": one["item"][1:]} for one in reversed(lines)]
        case 4:
            answer["vendor"] = draw.choice(_VENDORS)
    wrong: dict[int, dict[str, Any]] = {
        3: {"total": f"£{answer['total']}"}, 7: {"lines": "none"}, 11: {"vendor": 12}, 15: {"total": None},
        19: {"total": [1, 2]},
    }  # fmt: skip
    answer |= wrong.get(place % 23, {})
    text = json.dumps(answer, ensure_ascii=False)
    odd: dict[int, Any] = {
        2: text[: len(text) * 2 // 3], 5: "", 8: None, 12: f"Here you are:\n```json\n{text}\n```\nAnything else?",
        14: "I can't read this invoice.", 16: f"{text}\n\nOr rather: {text}", 17: "[]",
    }  # fmt: skip
    gold = MISSING if place == 111 else gold
    more = {"doc_type": draw.choice(("receipt", "invoice")), "languages": draw.sample(("en", "cy", "de", "fr"), 2)}
    return {"said": odd.get(place % 19, text), "gold": gold, "more": more}


def _landmark(folder: Path) -> tuple[Path, list[dict[str, Any]], dict[str, str]]:
    spec = folder / "landmark.yaml"
    spec.write_text(LANDMARK, encoding="utf-8")
    draw = random.Random(31)
    return spec, [_seen(draw, place) for place in range(SIZE)], {}


def _seen(draw: random.Random, place: int) -> dict[str, Any]:
    name, city, country = draw.choice(_PLACES)
    first = draw.choice(city) if isinstance(city, list) else city
    answer = {"landmark name": name, "city": first, "country": country}
    match place % 6:
        case 1:
            answer["landmark name"] = name.lower().removeprefix("the ")
        case 2:
            answer["city"] = "Paris"
        case 3:
            answer["country"] = country.upper()
        case 4:
            del answer["city"]
        case 5:
            answer["landmark name"] = name[:-2]
    text = f"It has a tower.\nAnswer: {answer}" if place % 2 else json.dumps(answer, ensure_ascii=False)
    odd: dict[int, Any] = {1: text[:-9], 4: "", 6: None, 9: "I don't know.", 13: f"```json\n{json.dumps(answer)}\n```"}
    gold = {"landmark name": name, "city": city, "country": country}
    return {"said": odd.get(place % 17, text), "gold": gold, "more": {"asked": f"picture {place}"}}


def _judged(folder: Path) -> tuple[Path, list[dict[str, Any]], dict[str, str]]:
    spec, cache = folder / "judged.yaml", folder / "replies.db"
    (folder / "judges.yaml").write_text(PACK, encoding="utf-8")
    spec.write_text(TASK, encoding="utf-8")
    rows = [_asked(place) for place in range(SIZE)]
    if not cache.exists():
        judge = ScriptedJudge(_verdict, MODEL)
        judge.parameters = JudgeSettings("replay", MODEL).parameters
        task = scoring.load(spec)
        with closing(CachedJudge(JudgeCache(cache), judge)) as asked, use_judge(asked):
            task.score_columns([row["said"] for row in rows], [row["gold"] for row in rows])
    found = {"SCORING_JUDGE_MODEL": MODEL, "SCORING_JUDGE_CACHE": str(cache), "SCORING_JUDGE_REPLAY": "1"}
    return spec, rows, found


def _asked(place: int) -> dict[str, Any]:
    gold = f"the answer to question {place}"
    said: Any = gold.upper() if place % 5 == 0 else f"{gold}, I believe"
    odd = {3: "", 5: None, 8: "no idea at all, and nothing near it"}
    return {"said": odd.get(place % 29, said), "gold": gold, "more": {"human": place % 3 != 0}}


def _verdict(question: Question) -> str:
    """What the judge says: yes or no by the length of the question's digits, and one reply in eleven can't be read."""
    total = sum(map(ord, question.messages[-1].text))
    return "I'd rather not say." if total % 11 == 0 else json.dumps({"verdicts": ["yes" if total % 3 else "no"]})
