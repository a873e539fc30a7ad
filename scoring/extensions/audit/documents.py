"""The document of an audit of a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scoring.data.json_write import dumps
from scoring.diagnostics.words import listed
from scoring.extensions.audit.described import LAWS
from scoring.extensions.audit.rules import ADVICE, GROUP_OF, LAWS_OF
from scoring.report.document import Document, DocumentBlock, DocumentTable, Line, Paragraph, Piece, TableColumn
from scoring.report.visible import clipped, shorten

_WIDTH = 60


def audit_document(data: Mapping[str, Any]) -> Document:
    """Return tables and sentences about an audit: an overview of each scorer, the broken laws, and unnecessary
    exceptions."""
    blocks: list[DocumentBlock] = [_overview(data)]
    blocks += [_finding(one) for one in data["findings"]]
    blocks += [_finding(one, "advice") for one in data["advice"]]
    for one in data["idle"]:
        advice = f"{one['place']} excepts `{one['law']}`, which does hold; leave the exception out"
        blocks.append(Paragraph(((Piece("idle", "warn"), f"  {advice}"),)))
    if spent := [one["scorer"] for one in data["scorers"] if one["is_spent"]]:
        advice = f"the calls of {listed(spent, 'and')} were used up"
        blocks.append(Paragraph(((Piece("not all tried", "warn"), f"  {advice}"),)))
    for one in data.get("not_tried", ()):
        blocks.append(Paragraph(((Piece("not tried", "dim"), f"  {one['task']}: {one['why']}"),)))
    blocks += [Paragraph((Piece("every law that must hold does", "good"),))] if data["passed"] else []
    return Document((*blocks, Paragraph(tuple(_notes(data))), *_for_a_page(data)), "Audit")


def _overview(data: Mapping[str, Any]) -> DocumentTable:
    """Return the table with a row for each scorer: how much was tried, which laws hold, are broken or excepted, and
    advice if there is any."""
    advice = (TableColumn("advice"), lambda one: _law_names(one, lambda law: law["is_advice"]))
    return DocumentTable.of(
        data["scorers"],
        (TableColumn("scorer"), "scorer"),
        (TableColumn("tried", "count"), lambda one: sum(law["tried"] for law in one["laws"])),
        (TableColumn("hold", "count"), lambda one: sum(law["holds"] is True for law in one["laws"])),
        (TableColumn("broken"), _broken_laws),
        *((advice,) if data["advice"] else ()),
        (TableColumn("excepted"), lambda one: _law_names(one, lambda law: law["excepted"] and law["holds"] is False)),
        (
            TableColumn("overlooks"),
            lambda one: _law_names(one, lambda law: _is_form(law["law"]) and law["holds"] is True),
        ),
    )


def _broken_laws(scorer: Mapping[str, Any]) -> Line:
    found = _law_names(scorer, lambda law: law["is_broken"])
    return found if found == "–" else Piece(found, "bad", picks=scorer["scorer"])


def _law_names(scorer: Mapping[str, Any], is_listed: Callable[[Mapping[str, Any]], Any]) -> str:
    return ", ".join(law["law"] for law in scorer["laws"] if is_listed(law)) or "–"


def _is_form(law: str) -> bool:
    return GROUP_OF[law] in ("form", "declared")


def _finding(one: Mapping[str, Any], advice: str = "") -> Paragraph:
    said = f"  {one['message']} ({one['law']}, {one['times']} of {one['tried']} tried)"
    head = (*((Piece(advice, "warn"), "  ") if advice else ()), Piece(one["scorer"], "warn" if advice else "bad"), said)
    fault = one["smallest"]
    return Paragraph((head, f"  {_pair(fault)} gives {_gives(one['law'], fault)}", f"  {one['help']}"))


def _gives(law: str, fault: Mapping[str, Any]) -> str:
    """Describe the score of an answer that breaks a law, compared with the score of the right or unchanged answer.

    Args:
        law: The name of the law.
        fault: The answer with its scores, as plain data.
    """
    score, right = fault["score"], fault["right"]
    if score is None or right is None or law in ("reference", "boundary") or GROUP_OF[law] == "data":
        return shorten(fault["found"], 120)
    other = "the same without the change" if _is_form(law) or law == "typos" else "the right one"
    return f"{score:.4f}, where {other} gives {right:.4f}"


def _pair(fault: Mapping[str, Any]) -> str:
    answer, reference = (shorten(dumps(fault[side]), _WIDTH) for side in ("answer", "reference"))
    if fault["reference"] is not None:
        return f"{answer} for {reference}"
    return str(fault["answer"]) if isinstance(fault["answer"], str) else shorten(dumps(fault["answer"]), 2 * _WIDTH)


def _notes(data: Mapping[str, Any]) -> Iterator[Line]:
    calls = sum(one["steps"] for one in data["scorers"])
    drawn = f", {data['tried']:,} of them drawn with seed {data['seed']}" if data["tried"] < data["records"] else ""
    called = f"; scorers were called {calls:,} times" if calls else ""
    yield Piece(f"{data['records']:,} records{drawn}{called}", "dim")
    yield Piece(f"must hold: {_must_hold(data)}", "dim")
    if data["advice"]:
        yield Piece("advice is what sound scorers may break; it counts with --strict or `audit: {must: [LAW]}`", "dim")
    if data["findings"]:
        yield Piece("a law that need not hold is excepted with its reason: `audit: {except: {LAW: why}}`", "dim")


def _must_hold(data: Mapping[str, Any]) -> str:
    """Return the names of the laws that must hold or, if there are many, the phrase "every law" with exceptions."""
    if all(one["scorer"].startswith("metric ") or len(one["laws"]) < 10 for one in data["scorers"]):
        return ", ".join(data["must_hold"])
    declared = listed(LAWS_OF["declared"], "and")
    advised = [law for law in ADVICE if law not in data["must_hold"]]
    but = f" but {listed(advised, 'and')}, which are advice" if advised else ""
    return f"every law{but}; of scorers {declared} only where that is declared"


def _for_a_page(data: Mapping[str, Any]) -> Iterator[DocumentTable]:
    """Yield tables for a page: every law of every scorer, and every answer for which a law does not hold."""
    laws = [{**law, "scorer": one["scorer"]} for one in data["scorers"] for law in one["laws"]]
    cells = [(TableColumn(name, choices=True), name) for name in ("scorer", "law")]
    yield DocumentTable.of(
        [law for law in laws if law["holds"] is not None],
        *cells,
        (TableColumn("what holds"), lambda one: LAWS[one["law"]].doc),
        (TableColumn("holds"), lambda one: "yes" if one["holds"] else f"no, {len(one['broken'])} of {one['tried']}"),
        (TableColumn("excepted"), "excepted"),
        title="Laws",
        brief=0,
        search=True,
    )
    broken = [{**one, "scorer": law["scorer"], "law": law["law"]} for law in laws for one in law["broken"]]
    if broken:
        yield DocumentTable.of(
            broken,
            *cells,
            (TableColumn("answer"), lambda one: Piece(clipped(dumps(one["answer"]), 300), "code")),
            (TableColumn("reference"), lambda one: Piece(clipped(dumps(one["reference"]), 300), "code")),
            (TableColumn("gives"), "found"),
            title="Answers for which a law does not hold",
            brief=0,
            tags=tuple(frozenset((one["scorer"],)) for one in broken),
            search=True,
        )
