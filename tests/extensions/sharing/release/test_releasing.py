"""`scoring release` on real repositories: what it is held against, what it refuses, what it writes and builds."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from tests.extensions.sharing.release.edits import draw_few
from tests.support.git_repository import Repository
from tests.support.locking import lock_project

PACK = """\
# Texts that are close.
kind: pack
name: close
version: 1.0.0   # raised by `scoring release`
doc: How close two texts are.
scorers:
  close_text:
    score: lower | levenshtein | zero_below(threshold)
    params: {threshold: 0.8}
    doc: The share of characters that stay, or 0 below a threshold.
    source: ours
    examples: [[Cafe, cafe, 1.0], [cafe, tea, 0.0]]
"""
MORE = """\
  exact:
    score: lower | equal
    doc: Whether both say the same.
    source: ours
    examples: [[A, a, 1.0], [a, b, 0.0]]
"""
LOWER = PACK.replace("threshold: 0.8", "threshold: 0.5")


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository = Repository(tmp_path / "team")
    for name, value in {"user.name": "a", "user.email": "a@example.org"}.items():
        repository.git("config", name, value)
    repository.commit({"close.yaml": PACK}, tag="v1.0.0")
    monkeypatch.chdir(repository.path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    return repository


def ids(found: scoring.packs.Released) -> list[str]:
    return [one.id for one in found.findings]


def write(text: str) -> None:
    Path("close.yaml").write_text(text)


def test_a_raise_that_is_too_small_is_refused_with_a_counterexample(team: Repository) -> None:
    write(LOWER.replace("version: 1.0.0", "version: 1.0.1"))
    found = scoring.packs.release("close.yaml")
    (finding,) = found.findings
    assert finding.id == "version-too-low"
    assert finding.message == "`close` 1.0.1 is a patch release after 1.0.0, and what was changed needs a major one"
    assert finding.primary.text == "2.0.0 or newer"
    assert finding.note[-1] == "compared with 1.0.0: the tag v1.0.0"
    moved = found.to_json()["packs"][0]["judgement"]["reasons"][0]["counterexample"]
    assert any(moved["text"] in note for note in finding.note)
    old, new = (
        scoring.scorer("lower | levenshtein | zero_below(0.8)"),
        scoring.scorer("lower | levenshtein | zero_below(0.5)"),
    )
    given = moved["given"]["prediction"], moved["given"]["reference"]
    assert old.score(*given).value != new.score(*given).value
    assert not found.passed
    assert not Path("CHANGELOG.md").exists()


def test_the_version_that_is_needed_is_written_and_the_changelog_too(team: Repository) -> None:
    write(LOWER)
    found = scoring.packs.release("close.yaml", raise_version=True)
    assert found.passed, found.findings
    assert Path("close.yaml").read_text() == LOWER.replace("version: 1.0.0 ", "version: 2.0.0 ")
    log = Path("CHANGELOG.md").read_text()
    assert "## [2.0.0] - 2026-01-01\n\n### Changed\n\n- `close_text`: " in log
    again = scoring.packs.release("close.yaml")
    assert again.passed
    assert Path("CHANGELOG.md").read_text() == log


def test_what_is_new_needs_a_minor_version(team: Repository) -> None:
    write(PACK + MORE)
    (finding,) = scoring.packs.release("close.yaml").findings
    assert finding.primary.text == "1.1.0 or newer"
    found = scoring.packs.release("close.yaml", raise_version=True)
    assert found.to_json()["packs"][0]["version"] == "1.1.0"
    assert "### Added\n\n- `exact`: a new scorer\n" in Path("CHANGELOG.md").read_text()


def test_a_dry_run_writes_nothing(team: Repository) -> None:
    write(PACK + MORE)
    found = scoring.packs.release("close.yaml", raise_version=True, dry_run=True)
    assert found.passed
    assert "- `exact`: a new scorer" in found.to_json()["packs"][0]["entry"]
    assert Path("close.yaml").read_text() == PACK + MORE
    assert [path.name for path in Path().iterdir() if path.name != ".git"] == ["close.yaml"]


def test_what_was_released_already_is_said(team: Repository) -> None:
    found = scoring.packs.release("close.yaml")
    assert found.passed
    assert found.to_json()["packs"][0]["released"] is True
    assert not Path("CHANGELOG.md").exists()


def test_a_tag_is_made_of_what_is_committed(team: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    write(PACK + MORE)
    scoring.packs.release("close.yaml", raise_version=True)
    assert set(ids(scoring.packs.release("close.yaml", tag=True))) == {"release-not-committed"}
    team.git("add", "close.yaml")
    team.git("commit", "-qm", "x")
    messages = [one.message for one in scoring.packs.release("close.yaml", tag=True).findings]
    assert messages == ["CHANGELOG.md is not committed"]
    team.git("add", "CHANGELOG.md")
    team.git("commit", "-qm", "x")
    assert main(["release", "close.yaml", "--tag"]) == 0
    assert "next: git push origin v1.1.0" in capsys.readouterr().out
    assert team.git("cat-file", "-t", "v1.1.0") == "tag"
    assert team.git("rev-parse", "v1.1.0^{}") == team.git("rev-parse", "HEAD")
    assert "### Added\n\n- `exact`: a new scorer" in team.git("tag", "-l", "--format=%(contents)", "v1.1.0")
    assert scoring.packs.release("close.yaml", tag=True).passed
    team.commit({"other.txt": "x"})
    with pytest.raises(scoring.InputError, match=r"the tag `v1\.1\.0` is on another commit"):
        scoring.packs.release("close.yaml", tag=True)


def test_a_tag_without_an_entry_is_refused(team: Repository) -> None:
    team.commit({"close.yaml": (PACK + MORE).replace("version: 1.0.0", "version: 1.1.0")})
    (finding,) = scoring.packs.release("close.yaml", tag=True).findings
    assert finding.message == "CHANGELOG.md does not have an entry for 1.1.0 yet"
    with pytest.raises(scoring.InputError, match="leave one of them out"):
        scoring.packs.release("close.yaml", tag=True, raise_version=True)


def test_packs_of_one_repository_have_tags_and_entries_with_their_names(team: Repository) -> None:
    other = PACK.replace("name: close", "name: near")
    team.commit({"near.yaml": other}, tag="near-v1.0.0")
    Path("near.yaml").write_text((other + MORE).replace("version: 1.0.0", "version: 1.1.0"))
    found = scoring.packs.release(["close.yaml", "near.yaml"]).to_json()["packs"]
    assert [one["last"]["where"] for one in found] == ["the tag v1.0.0", "the tag near-v1.0.0"]
    assert [one["tag"] for one in found] == ["v1.0.0", "near-v1.1.0"]
    assert "## [near 1.1.0] - 2026-01-01" in Path("CHANGELOG.md").read_text()


def test_a_first_release_lists_what_there_is(team: Repository) -> None:
    team.git("tag", "-d", "v1.0.0")
    found = scoring.packs.release("close.yaml")
    assert (found.passed, found.to_json()["packs"][0]["last"]) == (True, None)
    entry = "- `close_text` (scorer): The share of characters that stay, or 0 below a threshold."
    assert entry in Path("CHANGELOG.md").read_text()


def test_a_version_below_every_release_is_refused(team: Repository) -> None:
    write(PACK.replace("version: 1.0.0", "version: 0.9.0"))
    (finding,) = scoring.packs.release("close.yaml").findings
    assert finding.message == "0.9.0 is older than every release of `close`; 1.0.0 is the newest"


def test_an_older_line_of_versions_goes_on(team: Repository) -> None:
    team.commit({"close.yaml": LOWER.replace("version: 1.0.0", "version: 2.0.0")}, tag="v2.0.0")
    write((PACK + MORE).replace("version: 1.0.0", "version: 1.1.0"))
    found = scoring.packs.release("close.yaml")
    assert found.passed, found.findings
    assert found.to_json()["packs"][0]["last"]["where"] == "the tag v1.0.0"


@pytest.mark.parametrize("old", ["v1.0.0", "HEAD", "HEAD:close.yaml", "old.yaml", "./old.yaml"])
def test_what_it_is_held_against_can_be_said(team: Repository, old: str) -> None:
    Path("old.yaml").write_text(PACK)
    write(PACK + MORE)
    (finding,) = scoring.packs.release("close.yaml", against=old).findings
    assert finding.primary.text == "1.1.0 or newer"
    Path("old.yaml").write_text(PACK.replace("name: close", "name: other"))
    with pytest.raises(scoring.InputError, match="has no release of `close`"):
        scoring.packs.release("close.yaml", against="./old.yaml")


def lacks(text: str) -> list[tuple[str, str]]:
    write(text)
    return [
        (one.id, one.message) for one in scoring.packs.release("close.yaml", dry_run=True, raise_version=True).findings
    ]


def test_what_a_stranger_would_have_to_guess_is_asked_for(team: Repository) -> None:
    assert lacks(PACK + "transforms:\n  tidy: lower | strip\n") == [
        ("release-incomplete", "`tidy` has no `doc`, `source` or `example`")
    ]
    assert lacks(PACK.replace("doc: How close two texts are.\n", "")) == [
        ("release-incomplete", "the pack has no `doc`")
    ]
    assert lacks(PACK.replace("[cafe, tea, 0.0]", "[cafe, tea, 1.0]"))[0][0] == "example-failed"
    assert lacks(PACK.replace("lower | lev", "lower|lev")) == [
        ("not-formatted", "an expression is not in its canonical form")
    ]


def test_what_is_idle_is_told(team: Repository) -> None:
    idle = PACK.replace("{threshold: 0.8}", "{threshold: 0.8, at: 1}") + "transforms:\n  _tidy: lower | strip\n"
    assert lacks(idle) == [
        ("unused-definition", "`close_text` does not use its parameter `at`"),
        ("unused-definition", "nothing uses `_tidy`, which is private to this pack"),
    ]
    assert scoring.packs.release("close.yaml", dry_run=True, raise_version=True).passed
    assert not scoring.packs.release("close.yaml", dry_run=True, raise_version=True, strict=True).passed
    excepted = PACK + "    audit: {except: {case: names are names}}\n"
    assert [one[0] for one in lacks(excepted)] == ["release-idle-exception"]


def test_deprecations_name_the_version_in_which_they_begin(team: Repository) -> None:
    old = "    deprecated: {for: close_text(threshold=threshold), since: 1.1.0}\n"
    near = PACK[PACK.index("  close_text:") :].replace("close_text:", "near:")
    team.commit({"close.yaml": PACK + near}, tag="v1.0.0")
    assert lacks(PACK + near + old) == []
    assert (
        scoring.packs.release("close.yaml", dry_run=True, raise_version=True).to_json()["packs"][0]["version"]
        == "1.1.0"
    )
    assert lacks(PACK + near + old.replace("1.1.0", "1.2.0")) == [
        ("bad-value", "`near` is deprecated since 1.2.0, and this is 1.1.0")
    ]
    assert lacks(PACK + near + old.replace("1.1.0", "1.0.0")) == [
        ("bad-value", "`near` was not deprecated in 1.0.0 yet, and `since` says 1.0.0")
    ]
    write(PACK + near + old)
    scoring.packs.release("close.yaml", raise_version=True)
    assert "### Deprecated\n\n- `near`, for `close_text(threshold=threshold)`\n" in Path("CHANGELOG.md").read_text()


def test_what_stands_under_unreleased_goes_into_the_entry(team: Repository) -> None:
    before = "# Log\n\n## [Unreleased]\n\nWith thanks.\n\n## [1.0.0] - 2025-01-01\n\nFirst.\n"
    Path("CHANGELOG.md").write_text(before)
    write(PACK + MORE)
    scoring.packs.release("close.yaml", raise_version=True)
    assert Path("CHANGELOG.md").read_text() == (
        "# Log\n\n## [Unreleased]\n\n## [1.1.0] - 2026-01-01\n\n### Added\n\n- `exact`: a new scorer\n\n"
        "With thanks.\n\n"
        "## [1.0.0] - 2025-01-01\n\nFirst.\n"
    )


def test_an_entry_of_another_version_is_none_of_this_one(team: Repository) -> None:
    Path("CHANGELOG.md").write_text("# Log\n\n## [1.1.0-rc.1] - 2025-01-01\n\nx\n")
    write((PACK + MORE).replace("version: 1.0.0", "version: 1.1.0"))
    scoring.packs.release("close.yaml", day="2026-02-03")
    assert "## [1.1.0] - 2026-02-03\n" in Path("CHANGELOG.md").read_text()
    with pytest.raises(scoring.InputError, match="is not a date"):
        scoring.packs.release("close.yaml", day="soon")


# ---- wheels


def installed(wheel: Path, folder: Path) -> None:
    """What `pip install` makes of a wheel, with no index."""
    import subprocess

    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(folder)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)


def test_a_wheel_has_the_same_bytes_whenever_it_is_made(team: Repository, tmp_path: Path) -> None:
    (one, two) = (tmp_path / "a", tmp_path / "b")
    for folder in (one, two):
        made = scoring.packs.release("close.yaml", wheel=folder).to_json()["wheel"]
        assert Path(made).name == "close-1.0.0-py3-none-any.whl"
    (first, second) = (next(folder.iterdir()).read_bytes() for folder in (one, two))
    assert first == second
    with zipfile.ZipFile(one / "close-1.0.0-py3-none-any.whl") as archive:
        assert archive.testzip() is None
        assert archive.read("close_packs/close/1.0.0/close.yaml").decode() == PACK
        assert not [name for name in archive.namelist() if name.endswith(".py")]


def test_a_wheel_is_never_replaced_by_another_one(team: Repository, tmp_path: Path) -> None:
    scoring.packs.release("close.yaml", wheel=tmp_path / "a")
    team.git("tag", "-d", "v1.0.0")
    write(PACK + MORE)
    with pytest.raises(scoring.InputError, match="exists with other content"):
        scoring.packs.release("close.yaml", wheel=tmp_path / "a")


def test_pip_installs_a_wheel_and_its_packs_are_listed_in_every_version(
    team: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write((PACK + MORE).replace("version: 1.0.0", "version: 1.1.0"))
    near = PACK.replace("name: close", "name: near/by")
    Path("near.yaml").write_text(near)
    folder, home = tmp_path / "wheels", tmp_path / "site"
    made = scoring.packs.release(
        ["close.yaml", "near.yaml"], wheel=folder, distribution="acme-metrics==3.1.0-rc.1", earlier=True
    ).to_json()
    assert Path(made["wheel"]).name == "acme_metrics-3.1.0rc1-py3-none-any.whl"
    installed(Path(made["wheel"]), home)
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.chdir(tmp_path)
    assert main(["list", "packs"]) == 0
    out = capsys.readouterr().out
    assert "near/by" in out
    for version, gives in (("1.0.0", ["close_text"]), ("1.1.0", ["close_text", "exact"])):
        names = [one["name"] for one in scoring.specs.listing(f"close@{version}").to_json()]
        assert names == gives
    task = {"kind": "task", "name": "t", "imports": {"c": "close@1"}, "score": "c.exact"}
    assert scoring.load(task).score({"response": "A", "reference": "a"}).score == 1.0


def test_a_wheel_of_several_packs_wants_a_name(team: Repository) -> None:
    with pytest.raises(scoring.InputError, match="has a name and a version of its own"):
        scoring.packs.release(["close.yaml", "close.yaml"], wheel="out")
    for options in ({"distribution": "a==1"}, {"earlier": True}):
        with pytest.raises(scoring.InputError, match="is for a wheel"):
            scoring.packs.release("close.yaml", **options)
    with pytest.raises(scoring.InputError, match="is not a version for a Python distribution"):
        scoring.packs.release("close.yaml", wheel="out", distribution="a==1-x.y")


# ---- folders and stores


def test_releases_are_put_into_a_folder_that_lists_them(team: Repository, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    assert scoring.packs.release("close.yaml", to=shelf).to_json()["published"] == ["close 1.0.0"]
    assert scoring.packs.release("close.yaml", to=shelf).to_json()["published"] == []
    write((PACK + MORE).replace("version: 1.0.0", "version: 1.1.0"))
    scoring.packs.release("close.yaml", to=shelf)
    listed = json.loads((shelf / "versions.json").read_text())
    assert listed["format"] == 1
    assert list(listed["packs"]["close"]) == ["1.0.0", "1.1.0"]
    for release in listed["packs"]["close"].values():
        assert (shelf / release["entry"]).is_file()
    team.git("tag", "-d", "v1.0.0")
    write(LOWER.replace("version: 1.0.0", "version: 1.1.1"))
    (finding,) = scoring.packs.release("close.yaml", to=shelf).findings
    assert finding.note[-1].startswith("compared with 1.1.0: file://")


def test_no_name_leads_out_of_the_folder_of_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/../../escaped", "a/..", "a//b", "a/", "a/./b"):
        write(PACK.replace("name: close", f"name: {name}"))
        with pytest.raises(scoring.SpecError, match=r"bad-text.*is not in the required form"):
            scoring.packs.release("close.yaml", to="shelf/in")
    write(PACK.replace("name: close", f"name: {'a' * 150}"))
    with pytest.raises(scoring.InputError, match=r"can't hold .* longer than .* rename the file, or the pack"):
        scoring.packs.release("close.yaml", to="shelf/in")
    assert not [path for path in tmp_path.rglob("*.json") if path.is_file()]
    assert not list(tmp_path.rglob("escaped"))


def test_a_release_in_a_folder_is_never_changed(team: Repository, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    scoring.packs.release("close.yaml", to=shelf)
    before = {path: path.read_bytes() for path in shelf.rglob("*") if path.is_file()}
    team.git("tag", "-d", "v1.0.0")
    write(PACK.replace("# Texts", "# Two texts"))
    with pytest.raises(scoring.InputError, match=r"has `close` 1.0.0 with other content; a release is never changed"):
        scoring.packs.release("close.yaml", to=shelf, against="close.yaml")
    assert {path: path.read_bytes() for path in shelf.rglob("*") if path.is_file()} == before


def test_two_who_release_at_once_lose_nothing(team: Repository, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from scoring.extensions.sharing.release.publishing import publish_releases
    from scoring.extensions.sharing.release.wheel import PackedRelease

    shelf = tmp_path / "shelf"

    def put(number: int) -> Sequence[str]:
        text = PACK.replace("version: 1.0.0", f"version: 1.{number}.0").encode()
        return publish_releases(
            [PackedRelease("close", f"1.{number}.0", "close.yaml", {"close.yaml": text})], str(shelf)
        )

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(put, range(8)))
    assert told == [[f"close 1.{number}.0"] for number in range(8)]
    assert len(json.loads((shelf / "versions.json").read_text())["packs"]["close"]) == 8


def test_of_two_contents_of_one_version_at_most_one_is_told_that_all_is_well(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from scoring.extensions.sharing.release.publishing import publish_releases
    from scoring.extensions.sharing.release.wheel import PackedRelease

    def put(number: int) -> str:
        text = PACK.replace("doc: How", f"doc: {number} How").encode()
        try:
            publish_releases(
                [PackedRelease("close", "1.0.0", "close.yaml", {"close.yaml": text})], str(tmp_path / "shelf")
            )
        except scoring.InputError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(put, range(4)))
    assert told.count("") <= 1
    assert all("with other content" in one for one in told if one)


def test_a_store_of_fsspec_takes_releases(team: Repository) -> None:
    address = "memory://shelf-of-releases/packs"
    assert scoring.packs.release("close.yaml", to=address).to_json()["published"] == ["close 1.0.0"]
    assert scoring.packs.release("close.yaml", to=address).to_json()["published"] == []
    from scoring.extensions.sharing.sources.address import AddressSource

    (found,) = AddressSource(address).releases()
    assert found.content.files[found.content.entry].decode() == PACK


def test_an_address_that_is_only_read_is_refused(team: Repository) -> None:
    with pytest.raises(scoring.InputError, match="is read-only"):
        scoring.packs.release("close.yaml", to="https://example.org/packs")


def test_nothing_is_written_where_one_of_several_is_hindered(team: Repository) -> None:
    team.commit({"near.yaml": PACK.replace("name: close", "name: near")}, tag="near-v1.0.0")
    write((PACK + MORE).replace("version: 1.0.0", "version: 1.1.0"))
    Path("near.yaml").write_text(LOWER.replace("name: close", "name: near"))
    found = scoring.packs.release(["close.yaml", "near.yaml"])
    assert not found.passed
    assert not Path("CHANGELOG.md").exists()


def test_a_task_is_no_pack(team: Repository) -> None:
    Path("t.yaml").write_text("kind: task\nname: t\nscore: equal\n")
    with pytest.raises(scoring.InputError, match="is not a pack"):
        scoring.packs.release("t.yaml")


def test_a_judgement_of_the_author_that_nobody_asked_for_is_refused(team: Repository) -> None:
    write(PACK + MORE)
    with pytest.raises(scoring.InputError, match="--accept close_text has no effect"):
        scoring.packs.release("close.yaml", accept={"close_text": "it is the same"})


def test_what_its_wheel_needs_are_the_distributions_that_it_requires(tmp_path: Path) -> None:
    from scoring.extensions.sharing.release.wheel import PackedRelease, wheel_of

    one = PackedRelease("close", "1.0.0", "close.yaml", {"close.yaml": PACK.encode()}, "D", ("acme-metrics>=1.2",))
    path = tmp_path / "w.whl"
    path.write_bytes(wheel_of([one], "close", "1.0.0").content)
    with zipfile.ZipFile(path) as archive:
        assert "Requires-Dist: acme-metrics>=1.2\n" in archive.read("close-1.0.0.dist-info/METADATA").decode()
    other = PackedRelease("close/", "1.0.0", "close.yaml", {"close.yaml": b""})
    last = PackedRelease("close-", "1.0.0", "close.yaml", {"close.yaml": b""})
    with pytest.raises(scoring.InputError, match="would share the folder"):
        wheel_of([other, last], "close", "1.0.0")


def test_a_release_is_fetched_from_where_it_was_put(
    team: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoring.extensions.sharing.sources.distribution import DistributionSource
    from tests.support.wheels import take_for_index

    write(PACK.replace("kind: pack", "kind: pack\nimports: {w: ./words.yaml}") + "  same: w.plain | equal\n")
    words = "kind: pack\nname: words\nversion: 1.0.0\ntransforms: {plain: lower}\n"
    Path("words.yaml").write_text(words)
    Path("close.yaml").write_text(
        Path("close.yaml").read_text().replace("  same: w.plain | equal\n", MORE.replace("lower", "w.plain"))
    )
    found = scoring.packs.release("close.yaml", raise_version=True, wheel=tmp_path / "wheels", to=tmp_path / "shelf")
    assert found.passed, found.findings
    take_for_index(tmp_path / "wheels", monkeypatch)
    (fetched,) = (one for one in DistributionSource("close").releases() if one.name == "close")
    assert (fetched.version, sorted(fetched.content.files)) == ("1.1.0", ["close.yaml", "words.yaml"])
    task = {"kind": "task", "name": "t", "imports": {"c": "./close.yaml"}, "score": "c.exact"}
    folder = next((tmp_path / "shelf" / "close" / "1.1.0").iterdir())
    (folder / "t.json").write_text(json.dumps(task))
    assert scoring.load(folder / "t.json").score({"response": "A", "reference": "a"}).score == 1.0


def test_a_pack_that_needs_a_folder_of_this_machine_is_told(team: Repository, tmp_path: Path) -> None:
    words = "kind: pack\nname: words\nversion: 1.0.0\ntransforms: {plain: lower}\n"
    for folder in ("words", "team/words"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pack.yaml").write_text(words)
    own = MORE.replace("lower", "w.plain")
    write(PACK.replace("kind: pack", "kind: pack\nimports: {w: words@1}") + own)

    def told(folder: str, **how: Any) -> list[str]:
        Path("scoring.toml").write_text(f'[packs]\nwords = {{ folder = "{folder}" }}\n')
        lock_project()
        return [
            one.message for one in scoring.packs.release("close.yaml", raise_version=True, dry_run=True, **how).findings
        ]

    reach = "`words@1` comes from the folder {}, which others can't fetch with this pack"
    assert told("../words") == [reach.format("../words")]
    assert told("words") == []
    assert told("words", to=tmp_path / "shelf") == [reach.format("words")]


def test_the_author_may_answer_for_what_nobody_can_prove(team: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_few(monkeypatch, 500)
    write(PACK.replace("levenshtein | zero_below", "any_of(levenshtein, equal) | zero_below"))
    (finding,) = scoring.packs.release("close.yaml").findings
    assert finding.help[-1] == 'or, where you can say why no score moves: `--accept "close_text=WHY"`'
    found = scoring.packs.release(
        "close.yaml", accept={"close_text": "equal texts have no distance"}, raise_version=True
    )
    assert found.to_json()["packs"][0]["version"] == "1.0.1"
    assert "; accepted: equal texts have no distance\n" in Path("CHANGELOG.md").read_text()


def test_a_tag_that_is_there_is_not_told_as_written(team: Repository) -> None:
    write(PACK + MORE)
    scoring.packs.release("close.yaml", raise_version=True)
    team.git("add", "-A")
    team.git("commit", "-qm", "close 1.1.0")
    told = [scoring.packs.release("close.yaml", tag=True).to_json()["packs"][0]["written"] for _ in range(2)]
    assert told == [["the tag v1.1.0"], []]


def test_a_first_release_tells_what_others_may_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(PACK.replace("score: lower |", "score: _plain |") + "transforms: {_plain: lower}\n")
    (released,) = scoring.packs.release("close.yaml").to_json()["packs"]
    assert "`close_text`" in released["entry"]
    assert "_plain" not in released["entry"]


def test_the_expression_that_is_not_canonical_is_the_place(team: Repository) -> None:
    write(PACK.replace("lower | levenshtein", "lower|levenshtein"))
    (finding,) = [
        one for one in scoring.packs.release("close.yaml", dry_run=True).findings if one.id == "not-formatted"
    ]
    assert finding.span is not None
    assert finding.span.text.strip() == "score: lower|levenshtein | zero_below(threshold)"


def test_a_tag_alone_means_the_same_for_check_and_release(team: Repository) -> None:
    write(LOWER)
    judged = scoring.check("close.yaml", against="v1.0.0").judgement
    assert judged is not None
    assert (judged.old, judged.part) == ("1.0.0", "major")
    assert scoring.packs.release("close.yaml", against="v1.0.0").to_json()["packs"][0]["judgement"]["part"] == "major"
    with pytest.raises(scoring.InputError, match=r"`v7` is not a file, tag or commit .*; its tags are `v1\.0\.0`"):
        scoring.packs.release("close.yaml", against="v7")
