"""What a fetched pack imports by name comes from where the project says, else from where its own source says."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.errors import InputError
from tests.extensions.sharing.project.world import pack
from tests.support.git_repository import Repository
from tests.support.locking import lock_project

USES = "kind: pack\nname: uses\nversion: 1.0.0\nimports: {{h: {}}}\nscorers:\n  near: h.close_text\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.chdir(found)
    return found


def repository(path: Path, *, toml: str = "", imports: str = "close@1", tag: str = "v1.0.0", **more: str) -> Repository:
    made = Repository(path)
    files = {"uses/pack.yaml": USES.format(imports), **({"scoring.toml": toml} if toml else {}), **more}
    made.commit(files, tag=tag)
    return made


def sources(folder: Path) -> dict[str, str]:
    return {one.name: str(one.where) for one in lock_project(folder).packs}


def test_a_folder_of_the_same_repository_is_taken_at_the_same_tag(home: Path, tmp_path: Path) -> None:
    made = repository(tmp_path / "a", toml='[packs]\nclose = { folder = "other" }\n', **{"other/pack.yaml": pack()})
    scoring.packs.add(f"git+{made.address}@v1.0.0#uses")
    wanted = {"uses": f"git {made.address} at v1.0.0, uses", "close": f"git {made.address} at v1.0.0, other"}
    assert sources(home) == wanted
    made.path.rename(tmp_path / "gone")
    (home / "task.yaml").write_text("kind: task\nname: t\nversion: 1.0.0\nimports: {u: uses@1}\nscore: u.near\n")
    assert scoring.load(home / "task.yaml").score({"response": "a", "reference": "a"}).score == 1.0


def test_another_repository_that_its_project_file_names_is_fetched_too(home: Path, tmp_path: Path) -> None:
    other = Repository(tmp_path / "b")
    other.commit({"pack.yaml": pack()}, tag="v1")
    made = repository(tmp_path / "a", toml=f'[packs]\nclose = {{ git = "{other.address}", tag = "v1" }}\n')
    scoring.packs.add(f"git+{made.address}@v1.0.0#uses")
    assert sources(home)["close"] == f"git {other.address} at v1"


def test_the_project_has_the_last_word(home: Path, tmp_path: Path) -> None:
    made = repository(tmp_path / "a", toml='[packs]\nclose = { folder = "other" }\n', **{"other/pack.yaml": pack()})
    (home / "mine.yaml").write_text(pack("1.5.0"))
    scoring.packs.add("mine.yaml")
    scoring.packs.add(f"git+{made.address}@v1.0.0#uses")
    assert sources(home)["close"] == "folder mine.yaml"


@pytest.mark.parametrize(
    ("toml", "why"),
    [
        ("", "no pack `close` is shipped or installed"),
        ('[packs]\nclose = { folder = "../../outside" }\n', "which is outside it"),
        ("[packs]\nclose = { folder = '/etc' }\n", "which is outside it"),
        ("[packs\n", "is no TOML"),
        ("[packs]\nclose = { git = 'ext::sh -c x', tag = 'v1' }\n", "is not an address of a git repository"),
        ("[packs]\nclose = { git = '--upload-pack=x', tag = 'v1' }\n", "begins with `-`"),
    ],
)
def test_what_a_project_file_of_others_may_not_name_is_refused(home: Path, tmp_path: Path, toml: str, why: str) -> None:
    made = repository(tmp_path / "a", toml=toml)
    with pytest.raises((InputError, scoring.SpecError)) as raised:
        scoring.packs.add(f"git+{made.address}@v1.0.0#uses")
    assert why in str(raised.value)
    assert [path for path in home.iterdir() if path.is_file()] == []


def test_two_sources_for_one_name_are_told_with_who_wants_what(home: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        Repository(tmp_path / name).commit({"pack.yaml": pack()}, tag="v1")
    toml = "[packs]\nclose = {{ git = 'file://{}', tag = 'v1' }}\n"
    first = repository(tmp_path / "a", toml=toml.format(tmp_path / "one"))
    second = repository(tmp_path / "b", toml=toml.format(tmp_path / "two"))
    scoring.packs.add(f"git+{first.address}@v1.0.0#uses")
    with pytest.raises(InputError) as raised:
        scoring.packs.add(f"git+{second.address}@v1.0.0#uses", alias="more")
    said = str(raised.value)
    assert f"from git file://{tmp_path}/one at v1" in said
    assert f"from git file://{tmp_path}/two at v1" in said
    assert "choose one in your project file: `scoring add ADDRESS --as close`" in said


def test_packs_that_import_one_another_by_name_are_fetched_once_and_told_as_a_cycle(home: Path, tmp_path: Path) -> None:
    back = "kind: pack\nname: close\nversion: 1.0.0\nimports: {u: uses@1}\nscorers:\n  close_text: equal\n"
    toml = '[packs]\nclose = { folder = "other" }\nuses = { folder = "uses" }\n'
    made = repository(tmp_path / "a", toml=toml, **{"other/pack.yaml": back})
    scoring.packs.add(f"git+{made.address}@v1.0.0#uses")
    (home / "task.yaml").write_text("kind: task\nname: t\nversion: 1.0.0\nimports: {u: uses@1}\nscore: u.near\n")
    assert "import-cycle" in {one.id for one in scoring.check([home / "task.yaml"]).findings}


def test_a_version_that_nobody_has_is_told_with_who_wants_it(home: Path, tmp_path: Path) -> None:
    made = repository(
        tmp_path / "a", toml='[packs]\nclose = { folder = "other" }\n', imports="close@2", **{"other/pack.yaml": pack()}
    )
    with pytest.raises(scoring.SpecError, match=r"no version of `close` fits `2`, which `uses` 1.0.0 imports"):
        scoring.packs.add(f"git+{made.address}@v1.0.0#uses")
