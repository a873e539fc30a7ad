"""What the language server answers, asked over its pipes."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from tests.extensions.editors.server.client import LspClient, place, where

if TYPE_CHECKING:
    from lsprotocol import types

PACK = """\
kind: pack
name: house/near
version: 1.0.0
scorers:
  near:
    doc: Near texts.
    score: lower | strip | levenshtein
    examples:
    - [ab, AB, 1]
    - [ab, xy, 1]
"""
TASK = """\
kind: task
name: a/b
imports: {house: ./pack.yaml}
values:
  letter: prediction | lower
fields:
  town: {score: house.near, prediction: letter, reference: record.town}
  year: {score: equal, prediction: letter, reference: record.year}
aggregate: 0.5 * town + 0.5 * year
"""
WHOLE = {"start": place(0, 0), "end": place(99, 0)}


def _edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text after the edits of an answer, which don't overlap; lines end with `\\n`."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines) + 1)]

    def offset(at: dict[str, int]) -> int:
        return min(starts[at["line"]] + at["character"], len(text))

    for edit in sorted(edits, key=lambda one: -offset(one["range"]["start"])):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]
    return text


def _ids(found: list[types.Diagnostic]) -> list[Any]:
    return [one.code for one in found]


def test_a_finding_stands_where_it_is_and_its_fix_resolves_it(client: LspClient) -> None:
    text = "kind: task\nname: 😀\nscore: lower | eqal  # 😀\n"
    text = text.replace("name: 😀", "name: x")
    uri = client.open("typo.yaml", text)
    (found,) = client.found(uri)
    assert (found.code, found.range.start.character, found.range.end.character) == ("unknown-name", 15, 19)
    actions = client.of("codeAction", uri, range=WHOLE, context={"diagnostics": []})
    fix = next(one for one in actions if one["kind"] == "quickfix")
    after = _edited(text, fix["edit"]["changes"][uri])
    assert after == text.replace("eqal", "equal")
    client.change(uri, 2, {"text": after})
    assert client.found(uri, 2) == []


def test_fix_all_is_resolved_when_it_is_chosen(client: LspClient) -> None:
    text = "kind: task\nname: x\nscore: lowr && equal\n"
    uri = client.open("all.yaml", text)
    (action,) = client.of("codeAction", uri, range=WHOLE, context={"diagnostics": [], "only": ["source.fixAll"]})
    assert "edit" not in action
    made = client.ask("codeAction/resolve", action)
    assert _edited(text, made["edit"]["changes"][uri]) == "kind: task\nname: x\nscore: lower | equal\n"


def test_hovering_tells_type_range_documentation_and_the_first_example(client: LspClient) -> None:
    uri = client.open("hover.yaml", PACK)
    told = ""
    for _ in range(20):  # the value comes once the process of examples has started
        told = client.at("hover", uri, where(PACK, PACK.index("lower") + 1))["contents"]["value"]
        if "in the first example" in told:
            break
        client.of("codeLens", uri)
    assert "Text -> Text" in told
    assert "lower case" in told
    assert 'reference "ab"' in told
    joined = client.at("hover", uri, where(PACK, PACK.index("levenshtein") + 1))["contents"]["value"]
    assert "from 0 to 1" in joined


def test_each_example_has_its_result_and_none_that_asks_a_judge_is_run(client: LspClient) -> None:
    uri = client.open("lenses.yaml", PACK)
    lenses = client.of("codeLens", uri)
    assert [(one["range"]["start"]["line"], one["command"]["title"]) for one in lenses] == [
        (8, "✓ 1"),
        (9, "✗ gave 0.0, expected 1"),
    ]
    asking = PACK.replace("lower | strip | levenshtein", 'judge_score(prompt="good?", scale=[0, 1])')
    client.change(uri, 2, {"text": asking})
    titles = {one["command"]["title"] for one in client.of("codeLens", uri)}
    assert titles <= {"– not run: it asks a judge"}


def test_types_stand_between_steps(client: LspClient) -> None:
    text = "kind: task\nname: x\nscore: lower | words | set_f1\n"
    uri = client.open("hints.yaml", text)
    hints = client.of("inlayHint", uri, range=WHOLE)
    assert [(one["position"], one["label"]) for one in hints] == [
        (place(2, 12), ": Text"),
        (place(2, 20), ": List[Text]"),
    ]


def test_completion_offers_what_fits_after_a_half_written_pipeline(client: LspClient) -> None:
    text = "kind: task\nname: x\nscore: words | \n"
    uri = client.open("half.yaml", text)
    labels = [one["label"] for one in client.at("completion", uri, place(2, 15))["items"]]
    assert "bag_f1" in labels
    assert "zero_below" not in labels


def test_names_are_found_and_changed_in_packs_and_in_what_imports_them(client: LspClient) -> None:
    (client.folder / "pack.yaml").write_text(PACK, encoding="utf-8")
    uri = client.open("names.yaml", TASK)
    pack = (client.folder / "pack.yaml").as_uri()
    assert client.found(uri) == []
    (found,) = client.at("definition", uri, where(TASK, TASK.index("house.near") + 7))
    assert (found["uri"], found["range"]["start"]) == (pack, place(4, 2))
    uses = client.at("references", uri, where(TASK, TASK.index("town:")), context={"includeDeclaration": True})
    assert [one["range"]["start"]["line"] for one in uses] == [6, 8]
    changes = client.at("rename", uri, where(TASK, TASK.index("house.near") + 7), newName="close")["changes"]
    assert _edited(TASK, changes[uri]) == TASK.replace("house.near", "house.close")
    assert _edited(PACK, changes[pack]) == PACK.replace("  near:", "  close:")
    changes = client.at("rename", uri, where(TASK, TASK.index("letter:")), newName="sign")["changes"]
    assert _edited(TASK, changes[uri]) == TASK.replace("letter", "sign")
    changes = client.at("rename", uri, where(TASK, TASK.index("house:")), newName="home")["changes"]
    assert _edited(TASK, changes[uri]) == TASK.replace("house", "home")
    changes = client.at("rename", uri, where(TASK, TASK.index("* town") + 2), newName="city")["changes"]
    assert _edited(TASK, changes[uri]) == TASK.replace("  town:", "  city:").replace("* town", "* city")
    assert (client.folder / "pack.yaml").read_text(encoding="utf-8") == PACK  # the server writes nothing


@pytest.mark.parametrize(
    ("what", "new", "reason"),
    [
        ("town:", "year", "already a name"),
        ("town:", "a b", "a word"),
        ("town:", "record", "a word"),
        ("equal", "x", "only"),
    ],
)
def test_a_name_that_can_not_be_changed_is_refused_with_the_reason(
    client: LspClient, what: str, new: str, reason: str
) -> None:
    uri = client.open("refused.yaml", TASK)
    params = {"textDocument": {"uri": uri}, "position": where(TASK, TASK.index(what) + 1), "newName": new}
    answer = client.answer(client.begin("textDocument/rename", params))
    assert reason in answer["error"]["message"]


def test_what_is_not_saved_yet_counts_for_what_imports_it(client: LspClient) -> None:
    (client.folder / "draft.yaml").write_text(PACK, encoding="utf-8")
    draft = client.open("draft.yaml", PACK.replace("  near:", "  nearly:"))
    user = "kind: task\nname: x\nimports: {house: ./draft.yaml}\nscore: house.near\n"
    uri = client.open("user.yaml", user)
    assert _ids(client.found(uri)) == ["unknown-name"]
    client.findings.clear()
    client.change(draft, 2, {"text": PACK})
    assert client.found(uri) == []  # it is told anew, since what it imports has changed


def test_colours_folds_and_symbols_follow_the_text(client: LspClient) -> None:
    uri = client.open("looks.yaml", TASK)
    data = client.of("semanticTokens/full", uri)["data"]
    assert len(data) % 5 == 0
    lines = TASK.split("\n")
    line = column = 0
    words = set()
    for at in range(0, len(data), 5):
        step, move, length = data[at : at + 3]
        line, column = line + step, (move if step else column + move)
        words.add(lines[line][column : column + length])
    assert {"kind", "house", "near", "letter", "town", "year", "equal", "lower", "0.5"} <= words
    assert {"startLine": 5, "endLine": 7} in client.of("foldingRange", uri)
    symbols = {one["name"]: one for one in client.of("documentSymbol", uri)}
    assert [one["name"] for one in symbols["fields"]["children"]] == ["town", "year"]


def test_formatting_writes_the_canonical_form(client: LspClient) -> None:
    text = "kind: task\nname: x\n# kept\nscore:   lower|equal\n"
    uri = client.open("format.yaml", text)
    edits = client.of("formatting", uri, options={"tabSize": 2, "insertSpaces": True})
    assert _edited(text, edits) == "kind: task\nname: x\n# kept\nscore:   lower | equal\n"
    client.change(uri, 2, {"text": "kind: [\n"})
    assert client.of("formatting", uri, options={"tabSize": 2, "insertSpaces": True}) is None


def test_specs_in_json_are_specs_and_other_files_are_left_alone(client: LspClient) -> None:
    uri = client.open("a.json", '{"kind": "task", "name": "x", "score": "eqal"}', "json")
    assert _ids(client.found(uri)) == ["unknown-name"]
    other = client.open("compose.yaml", "services:\n  web: {image: x}\nkinds: task\n")
    assert client.found(other) == []
    assert client.of("codeLens", other) == []


def test_columns_are_counted_in_the_units_that_were_agreed(client: LspClient, tmp_path: Path) -> None:
    text = 'kind: task\nname: x\nscore: replace(old="😀", new="") | eqal\n'
    for one, encoding, width in ((client, "utf-16", 2), (LspClient(tmp_path, ("utf-8", "utf-16")), "utf-8", 4)):
        with one if one is not client else nullcontext():
            assert one.capabilities["positionEncoding"] == encoding
            found = next(each for each in one.found(one.open("units.yaml", text)) if "eqal" in each.message)
            assert found.range.start.character == len(text.split("\n")[2].partition("eqal")[0]) - 1 + width
