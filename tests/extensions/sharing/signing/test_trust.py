"""Whose signatures count: read from TOML and from OpenSSH's allowed signers, and nothing in them is passed over."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.extensions.sharing.signing.author_key import AuthorKey
from scoring.extensions.sharing.signing.trust import Trust, read_trust, trust_of
from scoring.project.file import ProjectTableFault, parse_project_file

KEY, OTHER = AuthorKey(bytes(range(32))), AuthorKey(bytes(range(1, 33)))


def test_a_project_names_authors_and_what_must_be_signed() -> None:
    table = {
        "require": ["close", "acme-*"],
        "authors": {"ann": KEY.text, "team": {"keys": [KEY.text, f"{OTHER.text} laptop"], "packs": ["acme-*"]}},
    }
    trust = trust_of(table, "scoring.toml")
    assert [one.author for one in trust.of(KEY)] == ["ann", "team"]
    assert [one.may_sign("pack", "close") for one in trust.of(KEY)] == [True, False]
    assert [trust.wants(name) for name in ("close", "acme-text", "closer")] == [True, True, False]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([], "`trust` is a table"),
        ({"requires": []}, "`trust.requires` is no key of it; did you mean `require`?"),
        ({"require": "close"}, "`trust.require` is a list of texts"),
        ({"require": ["close"]}, "no author is named"),
        ({"authors": {"ann": "ssh-rsa AAAA"}}, "only keys of the kind `ssh-ed25519` are read, not `ssh-rsa`"),
        ({"authors": {"ann": "ssh-ed25519 %%%"}}, "is no base64"),
        ({"authors": {"ann": {"key": KEY.text}}}, "did you mean `keys`?"),
        ({"authors": {"ann": {"packs": ["*"]}}}, "has no `keys`"),
        ({"authors": {"a\nb": KEY.text}}, "is no name that can be shown"),
        ({"authors": {"ann": 3}}, "is a list of texts"),
        ({"authors": []}, "is a table"),
    ],
)
def test_what_has_no_effect_is_refused(table: object, why: str) -> None:
    with pytest.raises(ProjectTableFault) as caught:
        trust_of(table, "scoring.toml")
    assert why in str(caught.value)
    assert caught.value.at[0] == "trust"


def test_a_project_file_tells_where_its_trust_is_wrong() -> None:
    good = f'[trust]\nrequire = ["close"]\n[trust.authors]\nann = "{KEY.text}"\n'
    trust = parse_project_file(good).trust
    assert trust is not None
    assert trust.wants("close")
    assert parse_project_file("[packs]\n").trust is None
    with pytest.raises(scoring.SpecError) as caught:
        parse_project_file(good.replace("require", "requires"))
    (finding,) = caught.value.diagnostics
    assert str(finding).startswith("scoring.toml:2:1: error[project-file]: `trust.requires` is no key of it")


def read(folder: Path, text: str, name: str = "allowed") -> Trust:
    (folder / name).write_text(text)
    return read_trust(folder / name)


def test_a_file_of_allowed_signers_is_read(tmp_path: Path) -> None:
    lines = ["# ours", "", f"ann,bob {KEY.text} a comment", f'ci namespaces="scoring-run,git" {OTHER.text}']
    trust = read(tmp_path, "\n".join(lines))
    assert [one.author for one in trust.of(KEY)] == ["ann", "bob"]
    assert [trust.of(OTHER)[0].may_sign(kind, "close") for kind in ("run", "pack")] == [True, False]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"ann valid-before=20200101 {KEY.text}", "the option `valid-before` is not read"),
        (f"ann cert-authority {KEY.text}", "the option `cert-authority` is not read"),
        (f'ann namespaces="scoring-*",valid-before="20200101" {KEY.text}', "`namespaces=.* is not read"),
        (f'ann namespaces="*",cert-authority {KEY.text}', "nor one behind it"),
        (f'ann namespaces="!scoring-pack,*" {KEY.text}', "is not read"),
        (f"ann namespaces=scoring-pack {KEY.text}", "is not read"),
        (f"* {KEY.text}", "is a pattern"),
        ("ann", "a line is"),
        ("ann ssh-rsa AAAA", "not `ssh-rsa`"),
        (f"'ann {KEY.text}", "No closing quotation"),
        (f"ann {KEY.text[:-4]}", "are read"),
        (f"ann {KEY.text} {'x' * 10_000}", "more than 10,000 characters"),
    ],
)
def test_a_line_of_it_is_whole_or_refused(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(scoring.InputError, match=rf"allowed:2: .*{why}"):
        read(tmp_path, f"\n{line}\n")


def test_a_file_says_whom_it_trusts(tmp_path: Path) -> None:
    text = f'[tool.scoring.trust.authors]\nann = "{KEY.text}"\n'
    assert read(tmp_path, text, "pyproject.toml").of(KEY)
    for name, content, why in (
        ("a.toml", text, "names no authors"),
        ("b.toml", "[trust", "is no TOML"),
        ("c.toml", "x" * 1_000_001, "more than 1,000,000 bytes"),
        ("d.toml", "trust = 3", "`trust` is a table"),
        ("pyproject.toml", "tool = 1", "names no authors"),
    ):
        with pytest.raises(scoring.InputError, match=why):
            read(tmp_path, content, name)
    with pytest.raises(scoring.InputError, match="can't read"):
        read_trust(tmp_path / "gone.toml")


@pytest.mark.property
@given(st.text(max_size=200))
def test_no_text_is_taken_for_a_key_by_mistake(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert AuthorKey.from_text(text).text.split() == text.split()[:2]
