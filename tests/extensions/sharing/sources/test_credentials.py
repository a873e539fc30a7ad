"""Credentials of git, of `.netrc` and of fsspec are used, and stand nowhere afterwards."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from scoring.cli.main import main
from scoring.errors import InputError
from scoring.extensions.sharing.sources.address import AddressSource
from scoring.extensions.sharing.sources.git import GitSource
from tests.extensions.sharing.sources.packs import pack
from tests.extensions.sharing.sources.test_address import BOTH
from tests.support.file_server import file_server, say
from tests.support.git_repository import Repository
from tests.support.git_server import git_server
from tests.support.wheels import write_wheel

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
        with pytest.raises(InputError, match="requires a name and a password that git does not have"):
            GitSource(f"{server.url}/metrics", **source).releases()
        helper = f"!f() {{ echo username=me; echo password={SECRET}; }}; f"
        (home / ".gitconfig").write_text(f'[credential]\n\thelper = "{helper}"\n')
        (found,) = GitSource(f"{server.url}/metrics", **source).releases()
    assert found.content.files == {"pack.yaml": pack().encode()}
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
        with pytest.raises(InputError, match=r"status 401; it requires a name and a password; give them in ~/.netrc"):
            AddressSource(f"{server.url}/packs").releases()
        (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
        os.chmod(home / ".netrc", 0o600)
        found = AddressSource(f"{server.url}/packs").releases()
        assert [one.content.files for one in found]
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


def test_nobody_gets_it_where_others_could_read_it(home: Path) -> None:
    (home / ".netrc").write_text(f"machine 127.0.0.2 login me password {SECRET}\n")
    seen = []
    with file_server("127.0.0.2") as server:  # another machine, as far as anybody can tell
        server.files["/packs/versions.json"] = lambda request: seen.append(request.headers.get("Authorization"))
        with pytest.raises(InputError):
            AddressSource(f"{server.url}/packs").releases()
    assert seen == [None]


class Guarded(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A store that wants a secret, and tells it to whoever fails."""

    protocol = "az"
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
    fsspec.register_implementation("az", Guarded, clobber=True)
    plain = MemoryFileSystem()
    for path, data in BOTH.items():
        plain.pipe(f"/guarded-releases{path}", data)
    plain.pipe("/guarded-broken/versions.json", b"{}")
    fsspec.config.conf["az"] = {"secret": SECRET}
    yield
    del fsspec.config.conf["az"]


@pytest.mark.usefixtures("guarded")
def test_a_store_gets_what_fsspec_is_configured_with() -> None:
    found = AddressSource("az://guarded-releases/packs").releases()
    assert {one.version for one in found if one.content.files} == {"1.0.0", "1.1.0"}
    assert SECRET not in repr([(vars(one), one.content) for one in found])
    with pytest.raises(InputError, match="signed with") as raised:
        AddressSource("az://guarded-broken").releases()
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    "entry",
    [
        'git = "https://me:{}@example.org/a.git", tag = "v1"',
        'git = "https://{}@example.org/a.git", tga = "v1"',
        "git = 'ssh://me:{}@example.org/a.git' tag",
        "git = '{}@example.org:a.git', tag = 'v1'",
        'address = "https://example.org/x?token={}"',
        'address = "https://example.org/x?token={}", tag = "v1"',
        'address = "s3://key:{}@bucket/x"',
        'address = "https://example.org/x#{}"',
        'address = "s3://bucket/x#{}", tga = "v1"',
        'git = "https://example.org/a.git#{}", tag = "v1"',
        'git = "https://example.org/a.git?a=b#{}", tga = "v1"',
    ],
)
@pytest.mark.parametrize("command", [["lock"], ["lock", "--json"], ["upgrade"], ["list", "packs", "--outdated"]])
def test_a_secret_that_somebody_wrote_into_a_project_file_is_refused_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], entry: str, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scoring.toml").write_text(f"[packs]\nclose = {{{{ {entry} }}}}\n".format(SECRET))
    main(command)
    said = "".join(capsys.readouterr())
    assert said
    assert SECRET not in said


def assert_nowhere(folder: Path, said: str) -> None:
    """No file of a project, and nothing that was said, holds the secret in any of its forms."""
    forms = (SECRET, base64.b64encode(f"me:{SECRET}".encode()).decode(), SECRET.encode().hex(), quote(SECRET))
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {"scoring.toml", "scoring.lock", "pack.yaml"} <= {path.name for path in files}
    texts = [said, *(path.read_bytes().decode("utf-8", "replace") for path in files)]
    assert not [form for form in forms for text in texts if form in text]


def test_nothing_that_is_written_or_printed_holds_a_credential(
    home: Path,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    index = tmp_path / "index"
    files = {"acme_guarded/pack.yaml": pack("guarded")}
    wheel = write_wheel(index, "acme-guarded", "1.0", files, packs={"x": "acme_guarded"})
    helper = f"!f() {{ echo username=me; echo password={SECRET}; }}; f"
    (home / ".gitconfig").write_text(f'[credential]\n\thelper = "{helper}"\n')
    (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    os.chmod(home / ".netrc", 0o600)
    with git_server(repository.path.parent, f"me:{SECRET}") as git, file_server() as server:
        server.login = f"me:{SECRET}"
        server.files |= BOTH
        link = f'<a href="/{wheel.name}#sha256={hashlib.sha256(wheel.read_bytes()).hexdigest()}">{wheel.name}</a>'
        page = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()
        server.files["/simple/acme-guarded/"] = lambda asked: say(asked, 200, page, {"Content-Type": "text/html"})
        server.files[f"/{wheel.name}"] = wheel.read_bytes()
        monkeypatch.setenv("PIP_INDEX_URL", server.url.replace("//", f"//me:{SECRET}@") + "/simple")
        for name, value in {"PIP_CONFIG_FILE": "/dev/null", "PIP_TRUSTED_HOST": "127.0.0.1"}.items():
            monkeypatch.setenv(name, value)
        for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        assert main(["add", f"git+{git.url}/metrics@v1"]) == 0
        assert main(["add", f"{server.url}/packs", "--as", "web"]) == 0
        assert main(["add", "dist:acme-guarded"]) == 0
        assert main(["lock", "--json"]) == 0
        assert main(["upgrade"]) == 0
        git.login = server.login = "me:another"
        for arguments in (["lock"], ["upgrade", "web"], ["add", "dist:acme-guarded>=2", "--as", "more"]):
            assert main(arguments) == 2
    assert_nowhere(project, "".join(capfd.readouterr()))
