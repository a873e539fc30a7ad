"""A Python distribution as a source: the installed one, else a wheel that pip finds, which is read as a zip file."""

from __future__ import annotations

import stat
import sys
import zipfile
from pathlib import Path

import pytest

from scoring.errors import InputError
from scoring.extensions.sharing.sources.distribution import DistributionSource, WheelTree
from scoring.format.load import Loader
from scoring.format.packs import packs_of
from tests.extensions.sharing.sources.packs import pack
from tests.support.wheels import take_for_index, write_wheel


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    for version in ("1.0.0", "1.2.0", "2.0.0"):
        files = {
            "acme_metrics/packs/close-1.yaml": pack(),
            "acme_metrics/packs/close.yaml": pack(version=version if version != "1.0.0" else "1.0.1"),
            "acme_metrics/packs/shapes/pack.yaml": pack("shapes", "0.1.0"),
            "acme_metrics/other.yaml": pack("other"),
            "acme_metrics/__init__.py": "raise SystemExit('imported')\n",
        }
        write_wheel(folder, "acme-metrics", version, files, packs={"any": "acme_metrics.packs"})
    write_wheel(folder, "acme-empty", "1.0", {"acme_empty/__init__.py": ""})
    (folder / "acme_source-1.0.tar.gz").write_bytes(b"")
    return folder


def test_one_wheel_offers_several_packs_in_several_versions(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_for_index(index, monkeypatch)
    source = DistributionSource("acme-metrics", "1")
    found = source.releases()
    assert {(one.name, one.version) for one in found} == {
        ("close", "1.0.0"), ("close", "1.2.0"), ("shapes", "0.1.0")
    }  # fmt: skip
    assert all(one.revision.startswith("1.2.0 sha256 ") for one in found)
    assert not source.is_local
    assert found[0].content.files == {"close-1.yaml": pack().encode()}
    assert "acme_metrics" not in sys.modules


def test_a_wheel_brings_the_signatures_beside_its_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"acme_signed/pack.yaml": pack(), "acme_signed/close-1.0.0.sig": "a signature"}
    write_wheel(tmp_path, "acme-signed", "1.0.0", files, packs={"close": "acme_signed"})
    take_for_index(tmp_path, monkeypatch)
    (found,) = DistributionSource("acme-signed").releases()
    assert found.content.signature == b"a signature"
    assert list(found.content.files) == ["pack.yaml"]


def test_what_is_not_there_is_told(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_for_index(index, monkeypatch)
    refused = {
        ("acme-metrics", ">=3"): "the index has only 1.0.0, 1.2.0, 2.0.0",
        ("acme-source", ""): "no wheel of it (source distributions are not used)",
        ("acme-empty", ""): "acme-empty 1.0 has no packs: it has no entry point of the group `scoring.packs`",
    }
    for (name, version), why in refused.items():
        with pytest.raises(InputError) as raised:
            DistributionSource(name, version).releases()
        assert why in str(raised.value)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["--help", "-r/etc/passwd", "a b", "https://x/y.whl", "a[extra]", "../x", "a;b", ""])
def test_no_name_becomes_an_option_or_an_address(name: str) -> None:
    with pytest.raises(InputError, match="is not the name of a Python distribution"):
        DistributionSource(name)


@pytest.mark.parametrize("version", ["newest", ">=1 --pre", "@ https://x", "1;", "==1,,;"])
def test_no_range_becomes_an_option(version: str) -> None:
    with pytest.raises(InputError, match="is not a range of versions"):
        DistributionSource("acme", version)


def installed(folder: Path, patch: pytest.MonkeyPatch, value: str, **files: str) -> DistributionSource:
    """A distribution that lies unpacked in a folder of the search path."""
    wheel = write_wheel(folder / "wheels", "acme-here", "1.5", files, packs={"x": value})
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    patch.syspath_prepend(str(folder / "site"))
    return DistributionSource("acme-here", ">=1.2")


def test_the_installed_one_is_read_where_it_lies_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"acme_here/packs/a.yaml": pack("a"), "acme_here/__init__.py": "raise SystemExit\n"}
    source = installed(tmp_path, monkeypatch, "acme_here.packs", **files)
    (found,) = source.releases()
    assert (found.name, found.revision, source.is_local) == ("a", "1.5 installed", True)
    assert found.content.files == {"a.yaml": pack("a").encode()}


def test_an_entry_point_names_a_folder_and_no_attribute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = installed(tmp_path, monkeypatch, "acme_here:FOLDER", **{"acme_here/pack.yaml": pack("a")})
    with pytest.raises(InputError, match="name a module or a folder, which is read without an import"):
        source.releases()


def test_an_import_without_a_project_finds_every_version_by_the_packs_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"acme_here/packs/{version}.yaml": pack("acme-own", version) for version in ("1.0.0", "1.4.0", "2.0.0")}
    installed(tmp_path, monkeypatch, "acme_here.packs", **files, **{"acme_here/__init__.py": "raise SystemExit\n"})
    loader = Loader()
    found = [packs_of(loader).by_name("acme-own", wanted).spec.version for wanted in ("", "1", "1.0", ">=1.2,<2")]
    assert found == ["2.0.0", "1.4.0", "1.0.0", "1.4.0"]
    assert "acme_here" not in sys.modules


def odd_wheel(folder: Path, member: zipfile.ZipInfo, content: bytes = b"") -> WheelTree:
    path = folder / "x.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return WheelTree(path, "the wheel")


def test_links_in_a_wheel_are_links(tmp_path: Path) -> None:
    member = zipfile.ZipInfo("p/pack.yaml")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert odd_wheel(tmp_path, member, b"/etc/passwd").entry("p/pack.yaml") == "a symbolic link"


def test_a_bomb_in_a_wheel_is_not_unpacked(tmp_path: Path) -> None:
    member = zipfile.ZipInfo("p/pack.yaml")
    member.compress_type = zipfile.ZIP_DEFLATED
    tree = odd_wheel(tmp_path, member, b"#" * 9_000_000)
    assert tree.entry("p/pack.yaml") == 9_000_000
    assert tree._contents == {}


def test_a_wheel_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    path = write_wheel(tmp_path, "a", "1", {"a/pack.yaml": "#" * 1_000})
    data = path.read_bytes()
    at = data.index(b"PK\x01\x02") + 24
    path.write_bytes(data[:at] + (10).to_bytes(4, "little") + data[at + 4 :])
    with pytest.raises(InputError, match="the wheel"):
        WheelTree(path, "the wheel")


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_wheel_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.whl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="the wheel"):
        WheelTree(path, "the wheel")


def test_a_member_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/pack.yaml", pack())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("p/pack.yaml", pack("other"))
    with pytest.raises(InputError, match=r"holds `p/pack.yaml` twice"):
        WheelTree(path, "the wheel")


def test_without_pip_it_is_told(index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    take_for_index(index, monkeypatch)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(InputError, match="pip can't be started"):
        DistributionSource("acme-metrics").releases()
