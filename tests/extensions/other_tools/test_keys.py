"""Keys of other tools: what is told to be written is of the schema, at the place where it is told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.other_tools import keys, values
from scoring.extensions.other_tools.values import values_of_others
from scoring.format.read_yaml import read_yaml
from scoring.format.schema import check_structure
from scoring.format.table import every_place
from scoring.specs import check_text
from tests.support.golden import REPOSITORY

HEAD = "kind: task\nname: a\nversion: 1.0.0\n"
TABLE = tomllib.loads(Path(keys.__file__).with_name("keys.toml").read_text("utf-8"))
NAMES = {
    place: {one.path[-1] for one in every_place() if "rows" in one.kinds and one.path[:-1] == above}
    for place, above in (("<top>", ()), ("fields.*", ("fields", "*")), ("intervals", ("intervals",)))
}


def told(text: str) -> list[tuple[str, str]]:
    with pytest.raises(SpecError) as refused:
        check_structure(read_yaml(HEAD + text))
    return [(one.id, " ".join(one.help)) for one in refused.value.diagnostics]


@pytest.mark.parametrize(("name", "line"), TABLE["<top>"].items())
def test_a_key_of_others_ends_with_ours(name: str, line: str) -> None:
    assert name not in NAMES["<top>"]
    assert line.partition(":")[0] in NAMES["<top>"]
    assert ("unknown-key", f"write `{line.replace('{value}', 'x')}`") in told(f"{name}: x\n")


@pytest.mark.parametrize(("name", "line"), TABLE["fields.*"].items())
def test_a_key_of_others_in_a_field(name: str, line: str) -> None:
    assert name not in NAMES["fields.*"]
    assert ("unknown-key", f"write `{line.replace('{value}', 'x')}`") in told(
        f"fields: {{a: {{weight: 2, {name}: x}}}}\n"
    )


@pytest.mark.parametrize(("name", "line"), TABLE["intervals"].items())
def test_a_key_of_others_for_intervals(name: str, line: str) -> None:
    assert name not in NAMES["intervals"]
    assert line.partition(":")[0] in NAMES["intervals"]
    assert ("unknown-key", f"write `{line.replace('{value}', 'x')}`") in told(f"intervals: {{{name}: x}}\n")


@pytest.mark.parametrize(("section", "word"), [("scorers", "score"), ("transforms", "transform"), ("parsers", "parse")])
def test_keys_of_others_in_a_definition(section: str, word: str) -> None:
    for name, line in TABLE["definitions"].items():
        found = check_text(f"kind: pack\nname: p\nversion: 1.0.0\n{section}: {{a: {{{name}: lower, doc: x}}}}\n")
        assert [(one.id, *one.help) for one in found] == [
            ("unknown-key", f"write `{line.replace('{word}', word).replace('{value}', 'lower')}`")
        ]


def test_a_value_of_others_names_values_that_there_are() -> None:
    """Each word of ours is one that some key or parameter may have, and no word of others is itself one of ours."""
    words = tomllib.loads(Path(values.__file__).with_name("values.toml").read_text("utf-8"))
    schemas = "".join(one.read_text("utf-8") for one in (REPOSITORY / "schemas").glob("*.json"))
    assert all(f'"{ours}"' in schemas for ours in words)
    assert all(values_of_others(one, [ours]) == (ours,) for ours, others in words.items() for one in others)


def test_a_key_of_ours_at_another_place_is_told_where_it_stands() -> None:
    assert told("score: equal\nmethod: bootstrap\n") == [("unknown-key", "write `intervals: {method: bootstrap}`")]


def test_a_part_of_the_record_is_its_name_letter_by_letter() -> None:
    assert told("Response: output\nscore: equal\n") == [("unknown-key", "write `record: {response: output}`")]


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("fields: [a, b]", "write a mapping, `{a: casefold | equal, b: casefold | equal}`"),
        ("fields: [{a: equal}, {b: lower}]", "write a mapping, `{a: equal, b: lower}`"),
        ("fields: {a: {score: equal, weight: 70%}}", "write `0.7`"),
        ("score: equal\nmetrics: mean", "write a list, `[mean]`"),
        ("score: equal\nexamples: [[a, a, 1]]", "for example `{response: Paris, reference: paris, expect: 1}`"),
    ],
)
def test_a_value_of_the_wrong_kind_ends_with_what_to_write(text: str, help_: str) -> None:
    assert told(text) == [("wrong-type", help_)]
