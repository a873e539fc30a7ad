"""Credentials of git, of `.netrc` and of fsspec are used, and stand nowhere afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from scoring.data.rows.row import InputError
from scoring.sharing.sources.address import AddressSource
from scoring.sharing.sources.git import GitSource
from tests.support.file_server import file_server
from tests.support.git_repository import Repository
from tests.support.git_server import git_server
from tests.unit.sharing.sources.packs import pack
from tests.unit.sharing.sources.test_address import BOTH

SECRET = "hunter2-very-secret"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, where no credential is yet."""
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    for name in ("NETRC", "GIT_ASKPASS", "SSH_ASKPASS", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return found


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("git") / "metrics")
    made.commit({"pack.yaml": pack()}, tag="v1")
    return made


def test_git_asks_its_credential_helper(home: Path, repository: Repository, capfd: pytest.CaptureFixture[str]) -> None:
    with git_server(repository.path.parent, f"me:{SECRET}") as server:
        source = {"tag": "v1"}
        with pytest.raises(InputError, match="wants a name and a password that git does not have"):
            GitSource(f"{server.url}/metrics", **source).releases()
        helper = f"!f() {{ echo username=me; echo password={SECRET}; }}; f"
        (home / ".gitconfig").write_text(f'[credential]\n\thelper = "{helper}"\n')
        (found,) = GitSource(f"{server.url}/metrics", **source).releases()
    assert found.files == {"pack.yaml": pack().encode()}
    assert SECRET not in repr((found, found.content, found.revision, vars(found)))
    assert SECRET not in "".join(capfd.readouterr())


def test_a_wrong_password_is_not_repeated(home: Path, repository: Repository) -> None:
    with git_server(repository.path.parent, "me:other") as server:
        address = server.url.replace("//", f"//me:{SECRET}@")
        (home / ".gitconfig").write_text(f'[url "{address}/"]\n\tinsteadOf = {server.url}/\n')
        with pytest.raises(InputError) as raised:
            GitSource(f"{server.url}/metrics", tag="v1").releases()
    assert SECRET not in str(raised.value)
    assert SECRET not in repr(raised.value.__cause__)


def test_what_git_would_trace_is_not_traced(
    home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_TRACE_CURL", str(tmp_path / "trace"))
    assert GitSource(repository.address, tag="v1").releases()
    assert not (tmp_path / "trace").exists()


def test_a_server_gets_the_password_that_netrc_has_for_it(home: Path) -> None:
    with file_server() as server:
        server.files |= BOTH
        server.login = f"me:{SECRET}"
        with pytest.raises(InputError, match=r"status 401; it wants a name and a password; give them in ~/.netrc"):
            AddressSource(f"{server.url}/packs").releases()
        (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
        os.chmod(home / ".netrc", 0o600)
        found = AddressSource(f"{server.url}/packs").releases()
        assert [one.files for one in found]
        assert SECRET not in repr([(vars(one), one.content) for one in found])
        server.login = "me:another"
        with pytest.raises(InputError) as raised:
            AddressSource(f"{server.url}/packs").releases()
        assert SECRET not in str(raised.value)


def test_no_other_host_gets_it(home: Path) -> None:
    (home / ".netrc").write_text(f"machine elsewhere login me password {SECRET}\ndefault login me password {SECRET}\n")
    seen = []
    with file_server() as server:
        server.files["/packs/versions.json"] = lambda request: seen.append(request.headers.get("Authorization"))
        with pytest.raises(InputError):
            AddressSource(f"{server.url}/packs").releases()
    assert seen == [None]


class Guarded(MemoryFileSystem):
    """A store that wants a secret, and tells it to whoever fails."""

    protocol = "guarded"
    cachable = False

    def __init__(self, secret: str = "", **more: object) -> None:
        super().__init__(**more)
        if secret != SECRET:
            raise PermissionError(f"{secret!r} is not the secret")

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return "/" + path.partition("://")[2].strip("/") if "://" in path else path

    def _open(self, path: str, *more: object, **options: object) -> object:
        if "broken" in path:
            raise OSError(f"signed with {self.storage_options['secret']}")
        return super()._open(path, *more, **options)


@pytest.fixture
def guarded() -> Iterator[None]:
    fsspec.register_implementation("guarded", Guarded, clobber=True)
    plain = MemoryFileSystem()
    for path, data in BOTH.items():
        plain.pipe(f"/guarded-releases{path}", data)
    plain.pipe("/guarded-broken/versions.json", b"{}")
    fsspec.config.conf["guarded"] = {"secret": SECRET}
    yield
    del fsspec.config.conf["guarded"]


@pytest.mark.usefixtures("guarded")
def test_a_store_gets_what_fsspec_is_configured_with() -> None:
    found = AddressSource("guarded://guarded-releases/packs").releases()
    assert {one.version for one in found if one.files} == {"1.0.0", "1.1.0"}
    assert SECRET not in repr([(vars(one), one.content) for one in found])
    with pytest.raises(InputError, match="signed with") as raised:
        AddressSource("guarded://guarded-broken").releases()
    assert SECRET not in str(raised.value)
