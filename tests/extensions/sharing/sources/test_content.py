"""Which files of a tree are packs, and what belongs to each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.relative import path_fault
from scoring.errors import InputError
from scoring.extensions.sharing.sources.content import find_releases_in_tree
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_OF_A_PACK, MOST_PACKS
from scoring.extensions.sharing.sources.tree import SourceTree, tree_in_memory
from scoring.extensions.sharing.twins import twins
from tests.extensions.sharing.sources.packs import pack


def tree(**files: str) -> SourceTree:
    return held({name.replace("__", "/") + ".yaml": text for name, text in files.items()})


def held(files: dict[str, str]) -> SourceTree:
    return tree_in_memory("here", {path: text.encode() for path, text in files.items()})


def test_every_pack_file_is_a_release() -> None:
    files = tree(a=pack("a"), b__old=pack("b", "1.0.0"), b__new=pack("b", "2.0.0"), task="kind: task\nname: t\n")
    found = {(one.name, one.version, one.at) for one in find_releases_in_tree(files)}
    assert found == {("a", "1.0.0", "a.yaml"), ("b", "1.0.0", "b/old.yaml"), ("b", "2.0.0", "b/new.yaml")}


def test_what_a_pack_imports_by_path_belongs_to_it_and_what_it_imports_by_name_is_needed() -> None:
    first = pack(more="imports: {a: ./more.yaml, h: house@1}\nrequires: [acme-metrics>=1.2]\n")
    files = tree(packs__close=first, packs__more=pack("more", more="imports: {o: other@>=2}\n"), packs__apart=pack("x"))
    (found,) = [one for one in find_releases_in_tree(files) if one.name == "close"]
    assert set(found.content.files) == {"close.yaml", "more.yaml"}
    assert found.content.entry == "close.yaml"
    assert set(found.content.needs) == {"house@1", "other@>=2"}
    assert found.content.requires == ("acme-metrics>=1.2",)


def test_where_a_pack_stands_in_its_source_moves_nothing() -> None:
    first = pack(more="imports: {a: ../more.yaml}\n")
    above, below = (
        find_releases_in_tree(held({f"{at}close/pack.yaml": first, f"{at}more.yaml": pack("more")}), f"{at}close")[0]
        for at in ("", "deep/in/it/")
    )
    assert above.content.files == below.content.files
    assert above.content.entry == below.content.entry == "close/pack.yaml"


def test_the_project_file_of_a_source_is_the_nearest_one_above() -> None:
    files = held({"scoring.toml": "outer", "a/scoring.toml": "inner", "a/b/pack.yaml": pack(), "c.yaml": pack("c")})
    found = {one.name: one.content for one in find_releases_in_tree(files)}
    assert (found["close"].project, found["close"].place) == (b"inner", "a")
    assert (found["c"].project, found["c"].place) == (b"outer", "")


def test_two_files_of_one_name_and_version_are_refused_unless_they_are_the_same() -> None:
    with pytest.raises(InputError, match=r"`a.yaml` and `b.yaml` are both `close` 1.0.0; raise the version of one"):
        find_releases_in_tree(tree(a=pack(), b=pack(more="doc: other\n")))
    assert len(find_releases_in_tree(held({"a/pack.yaml": pack(), "b/pack.yaml": pack()}))) == 1


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a": "kind: task\nname: t\n"}, "no file there is a pack"),
        ({"a": "kind: pack\nname: a\n"}, "`a` has no version; what is shared needs one"),
        ({"a": "kind: pack\nversion: 1.0.0\n"}, "has no `name` that an import could use"),
        ({"a": "kind: pack\nname: a\nversion: newest\n"}, "has no version"),
        ({"a": "kind: pack\nname: [\n"}, "here: a.yaml: "),
        ({"a": "kind: pack\nname: !!python/object:os.system a\nversion: 1.0.0\n"}, "here: a.yaml: "),
        ({"a": "kind: pack\nx: &x [*x]\n"}, "here: a.yaml: "),
    ],
)
def test_a_tree_without_a_pack_says_why(files: dict[str, str], why: str) -> None:
    with pytest.raises(InputError) as raised:
        find_releases_in_tree(tree(**files))
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("target", ["../outside.yaml", "./../../etc.yaml", "/etc/passwd.yaml"])
def test_an_import_leads_nowhere_but_into_its_source(target: str) -> None:
    (found,) = find_releases_in_tree(tree(a=pack(more=f"imports: {{x: {target}}}\n")))
    with pytest.raises(InputError, match="which is outside its source"):
        _ = found.content.files


def test_a_file_that_is_not_there_or_no_pack_is_told() -> None:
    (found,) = find_releases_in_tree(tree(a=pack(more="imports: {x: ./gone.yaml}\n")))
    with pytest.raises(InputError, match=r"there is no file `gone.yaml`"):
        _ = found.content.files


def test_packs_that_import_one_another_by_path_end() -> None:
    (found, _) = find_releases_in_tree(
        tree(a=pack("a", more="imports: {b: ./b.yaml}\n"), b=pack("b", more="imports: {a: ./a.yaml}\n"))
    )
    assert set(found.content.files) == {"a.yaml", "b.yaml"}


def test_a_pack_of_too_many_files_is_refused() -> None:
    files = {f"p{n}": pack(f"p{n}", more=f"imports: {{n: ./p{n + 1}.yaml}}\n") for n in range(MOST_OF_A_PACK + 1)}
    found = next(
        one for one in find_releases_in_tree(tree(**files, **{f"p{MOST_OF_A_PACK + 1}": pack()})) if one.name == "p0"
    )
    with pytest.raises(InputError, match="imports more than 100 files by their path"):
        _ = found.content.files


def test_a_file_that_is_too_large_is_not_read() -> None:
    large = "#" * (MOST_BYTES + 1)
    with pytest.raises(InputError, match=r"`a.yaml` has 8,000,001 bytes; a file of a pack has at most 8,000,000"):
        find_releases_in_tree(tree(a=large), "a.yaml")
    with pytest.raises(InputError, match=r"`a.yaml` has 8,000,001 bytes"):
        find_releases_in_tree(tree(a=large))


def test_too_many_files_that_might_be_packs_are_not_read() -> None:
    with pytest.raises(InputError, match="1,001 files might be packs; name the folder"):
        find_releases_in_tree(tree(**{f"a{n}": "" for n in range(MOST_PACKS + 1)}))


@pytest.mark.property
@given(st.text())
def test_no_path_that_is_let_through_leads_out_of_its_folder(path: str) -> None:
    if not path_fault(path):
        assert ".." not in path.split("/")
        assert not path.startswith("/")
        assert "\\" not in path
        assert "\0" not in path
        assert ":" not in path


@pytest.mark.parametrize(
    "path",
    [
        *("../a", "a/../../b", "/a", "a//b", "a/./b", "", "a\0b", "a\\b", "c:/a", "CON", "a/lpt1.yaml", "a.", "b /c"),
        *("x" * 300, "/".join("a" * 21), "a\n", "\u202eb"),
    ],
)
def test_a_path_that_means_something_else_somewhere_has_a_fault(path: str) -> None:
    assert path_fault(path)


@pytest.mark.parametrize("pair", [("a/B", "A/b"), ("a", "a/b"), ("é", "e\u0301"), ("ß", "SS")])
def test_twins_are_found_in_any_order(pair: tuple[str, str]) -> None:
    assert twins(pair)
    assert twins(pair[::-1])
    assert not twins([pair[0], "other"])
