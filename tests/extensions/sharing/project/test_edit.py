"""A project file is edited where it has to be, and its comments, order and layout stay."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import InputError
from scoring.extensions.sharing.edit import format_source_entry, replace_entry_value, with_pack, without_pack
from scoring.project.file import PackSource

GIT = PackSource("git", "https://example.org/a.git", tag="v1")
FILE = """\
# Who asks: the team of metrics.

[packs]  # by name
shapes   = { folder = "../shapes" }   # ours
"a.b"    = "1"

# Where they are kept.
[store]
place = "shared"
"""


def test_an_entry_stands_behind_the_others_and_nothing_else_moves() -> None:
    assert with_pack(FILE, (), "close", GIT) == FILE.replace(
        '"a.b"    = "1"\n', '"a.b"    = "1"\nclose = { git = "https://example.org/a.git", tag = "v1" }\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[packs]\nx = "1"\n'),
        ("# nothing yet", '# nothing yet\n\n[packs]\nx = "1"\n'),
        ("[packs]", '[packs]\nx = "1"\n'),
        ("[packs]\n", '[packs]\nx = "1"\n'),
        ('[store]\nplace = "shared"\n', '[store]\nplace = "shared"\n\n[packs]\nx = "1"\n'),
        ('[packs.a]\nfolder = "a"\n', '[packs.a]\nfolder = "a"\n\n[packs]\nx = "1"\n'),
        ('[packs]\na = "1"\n\n\n[packs.b]\nfolder = "b"\n', '[packs]\na = "1"\nx = "1"\n\n\n[packs.b]\nfolder = "b"\n'),
    ],
)
def test_a_file_of_any_layout_takes_an_entry(before: str, after: str) -> None:
    assert with_pack(before, (), "x", PackSource("here", version="1")) == after


def test_the_table_of_a_larger_file_is_edited_there() -> None:
    text = '[project]\nname = "x"\n\n[tool.scoring.packs]\na = "1"\n\n[tool.other]\npacks = 1\n'
    new = with_pack(text, ("tool", "scoring"), "b", PackSource("here", version="2"))
    assert new == text.replace('a = "1"\n', 'a = "1"\nb = "2"\n')
    assert without_pack(new, ("tool", "scoring"), "b") == text


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("shapes", FILE.replace('shapes   = { folder = "../shapes" }   # ours\n', "")),
        ("a.b", FILE.replace('"a.b"    = "1"\n', "")),
    ],
)
def test_an_entry_is_taken_out_with_its_line(name: str, after: str) -> None:
    assert without_pack(FILE, (), name) == after


def test_a_table_of_an_entry_is_taken_out_and_a_comment_of_the_next_one_stays() -> None:
    text = '[packs.a]\ngit = "https://x/y"\ntag = "v1"\n\n# of b\n[packs.b]\nfolder = "b"\n'
    assert without_pack(text, (), "a") == '# of b\n[packs.b]\nfolder = "b"\n'


@pytest.mark.parametrize(
    ("text", "key", "after"),
    [
        ('[packs]\na = { git = "x", tag = "v1" } # why\n', "tag", '[packs]\na = { git = "x", tag = "v2" } # why\n'),
        ("[packs]\na = {tag='v1', git = 'x'}\n", "tag", "[packs]\na = {tag=\"v2\", git = 'x'}\n"),
        ('[packs.a]\ngit = "x"\ntag = "v1" # why\n', "tag", '[packs.a]\ngit = "x"\ntag = "v2" # why\n'),
        ('[packs]\na = "1" # why\n', "version", '[packs]\na = "v2" # why\n'),
        ('[packs]\na = { folder = "x" } # why\n', "version", '[packs]\na = { folder = "x", version = "v2" } # why\n'),
        ('[packs.a] # why\nfolder = "x"\n', "version", '[packs.a] # why\nversion = "v2"\nfolder = "x"\n'),
        ('[packs]\ntag = { git = "tag = ", tag = "v1" }\na = { git = "tag", tag = "v1" }\n', "tag",
         '[packs]\ntag = { git = "tag = ", tag = "v1" }\na = { git = "tag", tag = "v2" }\n'),
    ],
)  # fmt: skip
def test_one_value_is_another(text: str, key: str, after: str) -> None:
    assert replace_entry_value(text, (), "a", key, "v2") == after


@pytest.mark.parametrize("text", ['packs = { a = "1" }\n', "packs.a = '1'\n"])
def test_a_layout_that_is_not_understood_is_left_to_a_person(text: str) -> None:
    with pytest.raises(InputError, match=r"needs an edit by hand: \[packs\] x = \"1\", then `scoring lock`"):
        with_pack(text, (), "x", PackSource("here", version="1"))


NAMES = st.from_regex(r"\w[\w./-]{0,10}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)


@pytest.mark.property
@given(st.dictionaries(NAMES, TEXTS, max_size=4), NAMES, TEXTS)
def test_whatever_stands_there_the_new_text_says_one_thing_more(packs: dict[str, str], name: str, folder: str) -> None:
    text = "[packs] # here\n" + "".join(
        f"{format_source_entry(PackSource('here', version=key))} = "
        f"{format_source_entry(PackSource('folder', value))} # {value}\n"
        for key, value in packs.items()
    )
    before: dict[str, Any] = tomllib.loads(text)["packs"]
    if name in before:
        assert tomllib.loads(without_pack(text, (), name)).get("packs", {}) == {
            key: value for key, value in before.items() if key != name
        }
        return
    new = with_pack(text, (), name, PackSource("folder", folder))
    assert tomllib.loads(new)["packs"] == {**before, name: {"folder": folder}}
    assert without_pack(new, (), name) == text
