"""Attacks with files, links and names, as data: what is prepared, what is called, and how it must end.

Of each it must hold, beside what it says of itself: nothing that was there before is changed but what the attack lists,
nothing is made elsewhere, the call ends by itself, and its message is one line without a word of a bug.
"""

from __future__ import annotations

import json
import os
import stat
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Prepare = Callable[[Path], object]


@dataclass(frozen=True)
class Attack:
    """One attack.

    Args:
        name: What it tries.
        arguments: The call, made in the folder of `desk`.
        status: How it must end.
        says: What its message must hold.
        prepare: Makes what the attack needs.
        makes: What may be made or changed, from its begin on; nothing by default.
    """

    name: str
    arguments: str
    status: int = 2
    says: str = ""
    prepare: Prepare = lambda folder: None
    makes: tuple[str, ...] = ()


def _link(name: str, to: str) -> Prepare:
    return lambda folder: (folder / name).symlink_to(to)


def _hard(name: str, to: str) -> Prepare:
    return lambda folder: os.link(folder / to, folder / name)


def _pipe(name: str) -> Prepare:
    return lambda folder: os.mkfifo(folder / name)


def _text(name: str, text: str) -> Prepare:
    return lambda folder: (folder / name).write_text(text)


def _both(*all_of: Prepare) -> Prepare:
    return lambda folder: [one(folder) for one in all_of]


def _in_place(name: str, make: Prepare) -> Prepare:
    """What stood there before is moved away, as a stranger's archive would have it."""

    def prepare(folder: Path) -> None:
        (folder / name).rename(folder / "moved")
        make(folder)

    return prepare


def _importing(target: str, make: Prepare = lambda folder: None) -> Prepare:
    text = f"kind: task\nname: t\nimports: {{p: {json.dumps(target)}}}\nscore: p.same\n"
    return _both(_text("imports.yaml", text), make)


def _cycle(folder: Path) -> None:
    for one, other in (("one", "two"), ("two", "one")):
        text = f"kind: pack\nname: {one}\nversion: 1.0.0\nimports: {{p: ./{other}.yaml}}\nscorers:\n"
        (folder / f"{one}.yaml").write_text(f"{text}  same: {{score: p.same, doc: Same.}}\n")


def _deep(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(150):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def _many(folder: Path) -> None:
    (folder / "many").mkdir()
    for place in range(200):
        (folder / "many" / f"{place}.txt").touch()


def _unreadable(folder: Path) -> None:
    (folder / "folder" / "shut").mkdir(mode=0)


def _zip(*members: tuple[str, bytes]) -> Prepare:
    def prepare(folder: Path) -> None:
        with zipfile.ZipFile(folder / "evil.zip", "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that stand twice, which is what is tried
            for name, content in members:
                archive.writestr(name, content)

    return prepare


def _zip_link(folder: Path) -> None:
    with zipfile.ZipFile(folder / "evil.zip", "w") as archive:
        info = zipfile.ZipInfo("run/manifest.json")
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("bundle.json", "{}")


def _manifest(text: str | bytes) -> Prepare:
    content = text if isinstance(text, bytes) else text.encode()
    return lambda folder: (folder / "run" / "manifest.json").write_bytes(content)


def _sealed(**values: object) -> Prepare:
    """A manifest that says something else, and says so with a seal that fits."""
    from scoring.data.json_write import dumps_pretty
    from scoring.engine.runs.manifest import sealed

    def prepare(folder: Path) -> None:
        path = folder / "run" / "manifest.json"
        held = json.loads(path.read_text())
        path.write_text(dumps_pretty(sealed({**held, **values})))

    return prepare


_SCORE = "score task.yaml data.jsonl"
_AGAIN = f"{_SCORE} -o run --force"
_WRITES = ("run/",)
_CACHE = ("cache.sqlite-",)

OUTPUTS = [
    Attack(
        f"{name} of the run folder is a link to a file of somebody",
        _AGAIN,
        0,
        "",
        _in_place(f"run/{name}", _link(f"run/{name}", "../secret.txt")),
        _WRITES,
    )
    for name in ("scores.jsonl", "summary.json")
] + [
    Attack(
        "the manifest is a link",
        _AGAIN,
        0,
        "",
        _in_place("run/manifest.json", _link("run/manifest.json", "../moved")),
        _WRITES,
    ),
    Attack("a page that is not made anew is a link", _AGAIN, 0, "", _link("run/report.html", "../secret.txt"), _WRITES),
    Attack("a plot is a link", _AGAIN, 0, "", _link("run/plot_a.svg", "../secret.txt"), _WRITES),
    Attack(
        "the folder of parts is a link",
        _AGAIN,
        2,
        "belongs to no run; move it elsewhere",
        _link("run/scores", "../folder"),
    ),
    Attack(
        "what is unfinished is a link",
        _AGAIN,
        2,
        "not the folder of a run; remove it",
        _link("run/.unfinished", "../folder"),
    ),
    Attack("the lock is a link", _AGAIN, 2, "not a file of a run; remove it", _link("run/.lock", "../secret.txt")),
    Attack("the lock is a pipe", _AGAIN, 2, "not a file of a run; remove it", _pipe("run/.lock")),
    Attack(
        "the lock is a link to nothing", _AGAIN, 2, "not a file of a run; remove it", _link("run/.lock", "../new/lock")
    ),
    Attack(
        "a file of the run is a pipe", _AGAIN, 0, "", _in_place("run/summary.json", _pipe("run/summary.json")), _WRITES
    ),
    Attack("the run folder is a link to nothing", f"{_SCORE} -o broken", 2, "broken"),
    Attack("the run folder is a cycle of links", f"{_SCORE} -o circle", 2, "circle"),
    Attack("the run folder is a file", f"{_SCORE} -o data.jsonl --force", 2, "is a file, not a folder"),
    Attack("the run folder is a pipe", f"{_SCORE} -o pipe --force", 2, "pipe"),
    Attack("the run folder is a device", f"{_SCORE} -o /dev/null", 2, "/dev/null"),
    Attack("the run folder is below proc", f"{_SCORE} -o /proc/x", 2, "check the path, and create the folder"),
    Attack("the run folder is below a file", f"{_SCORE} -o data.jsonl/run", 2, "a part of the path is a file"),
    Attack("the run folder has no name", f"{_SCORE} -o ''", 2, "expected a name"),
    Attack("the run folder has a name that is too long", f"{_SCORE} -o {'n' * 5000}", 2, "choose a shorter name"),
    Attack("the run folder holds the files of somebody", f"{_SCORE} -o folder", 2, "not empty"),
    Attack(
        "the run folder holds the files of somebody, and is replaced",
        f"{_SCORE} -o folder --force",
        0,
        "",
        makes=("folder/scores.jsonl", "folder/summary.json", "folder/texts.json", "folder/manifest.json"),
    ),
    Attack(
        "a file of somebody is called as ours",
        f"{_SCORE} -o folder --force",
        2,
        "belongs to no run",
        _text("folder/summary.json", "mine"),
    ),
    Attack(
        "a part of somebody is called as ours",
        f"{_SCORE} -o run --force",
        2,
        "belongs to no run",
        lambda folder: ((folder / "run/scores").mkdir(), _text("run/scores/mine.txt", "mine")(folder)),
    ),
    Attack(
        "the data is a file of the run folder",
        "score task.yaml run/scores.jsonl -o run --force",
        2,
        "which the run reads; choose another folder",
    ),
    Attack(
        "the data is a hard link to a file of the run folder",
        "score task.yaml hard.jsonl -o run --force",
        2,
        "which the run reads",
        _hard("hard.jsonl", "run/scores.jsonl"),
    ),
    Attack(
        "the data is a link to a file of the run folder",
        "score task.yaml soft.jsonl -o run --force",
        2,
        "which the run reads",
        _link("soft.jsonl", "run/scores.jsonl"),
    ),
    Attack(
        "a file of the run folder is a link to the data",
        f"{_SCORE} -o run --force",
        2,
        "which the run reads",
        _in_place("run/scores.jsonl", _link("run/scores.jsonl", "../data.jsonl")),
    ),
    Attack(
        "a file of the run folder is a hard link to the data",
        f"{_SCORE} -o run --force",
        2,
        "which the run reads",
        _in_place("run/scores.jsonl", _hard("run/scores.jsonl", "data.jsonl")),
    ),
    Attack(
        "the references are a file of the run folder",
        "score task.yaml data.jsonl --references run/scores.jsonl -o run --force",
        2,
        "which the run reads",
    ),
    Attack(
        "the spec is a file of the run folder",
        "score run/summary.json data.jsonl -o run --force",
        2,
        "run/summary.json",
        lambda folder: (folder / "run/summary.json").write_text(
            json.dumps({"kind": "task", "name": "t", "score": "equal"})
        ),
    ),
    Attack(
        "the run folder is reached by two names",
        "score task.yaml run/scores.jsonl -o alias --force",
        2,
        "which the run reads",
        _link("alias", "run"),
    ),
    Attack(
        "the address of the run folder is one of this machine",
        "score task.yaml run/scores.jsonl -o FILE/run --force",
        2,
        "which the run reads",
    ),
    Attack(
        "the address of the run folder holds a link",
        "score task.yaml data.jsonl -o FILE/run --force",
        0,
        "",
        _in_place("run/summary.json", _link("run/summary.json", "../secret.txt")),
        _WRITES,
    ),
    Attack(
        "the data is in the run folder under a name of its own",
        "score task.yaml run/data.jsonl -o run --force",
        0,
        "",
        _hard("run/data.jsonl", "data.jsonl"),
        ("run/scores.jsonl", "run/summary.json", "run/texts.json", "run/manifest.json"),
    ),
    Attack(
        "the run folder lies in the folder of the data",
        "score task.yaml rows -o rows/run",
        2,
        "the next run would read what this one wrote",
        lambda folder: ((folder / "rows").mkdir(), os.link(folder / "data.jsonl", folder / "rows/a.jsonl")),
    ),
    Attack(
        "the run folder is the folder of the data",
        "score task.yaml rows -o rows --force",
        2,
        "the next run would read what this one wrote",
        lambda folder: ((folder / "rows").mkdir(), os.link(folder / "data.jsonl", folder / "rows/a.jsonl")),
    ),
    Attack(
        "the cache of the judge is called as a file of the run",
        "score task.yaml data.jsonl -o run --force --judge-cache run/summary.json",
        2,
        "which the run reads",
    ),
    Attack(
        "the cache of the judge is to be a file of the run",
        "score task.yaml data.jsonl -o nothing --judge-cache nothing/report.html",
        2,
        "has the name of a file of the run",
    ),
    Attack("parts are joined into their own folder", "merge parts -o parts --force", 2, "which the run reads"),
    Attack("parts go into the folder of the run", f"{_SCORE} -o nothing --parts nothing", 2, "nothing"),
    Attack("parts go into a folder of somebody", f"{_SCORE} --parts folder", 2, "is not a folder of parts"),
    Attack("parts go into a file", f"{_SCORE} --parts data.jsonl", 2, "choose another name"),
    Attack(
        "the head of parts is a link",
        f"{_SCORE} --parts parts",
        0,
        "",
        _in_place("parts/parts.json", _link("parts/parts.json", "../moved")),
    ),
    Attack(
        "a part is a link that is written anew",
        f"{_SCORE} --parts parts",
        0,
        "",
        _in_place("parts/part-00001.jsonl", _link("parts/part-00001.jsonl", "../secret.txt")),
        ("parts/",),
    ),
    Attack(
        "a part is a pipe",
        f"{_SCORE} --parts parts",
        0,
        "",
        _in_place("parts/part-00001.json", _pipe("parts/part-00001.json")),
        ("parts/",),
    ),
    Attack("the run is made again over itself", "verify run -o run", 2, "is not empty"),
    Attack("the run is made again into a link to nothing", "verify run -o broken", 2, "broken"),
    Attack("the bundle is the data", "bundle run -o data.jsonl --force", 2, "which is read; choose another name"),
    Attack(
        "the bundle is a hard link to the data",
        "bundle run -o hard.zip --force",
        2,
        "which is read",
        _hard("hard.zip", "data.jsonl"),
    ),
    Attack(
        "the bundle is a link to the spec",
        "bundle run -o soft.zip --force",
        2,
        "it is a link; name the file that is meant",
        _link("soft.zip", "task.yaml"),
    ),
    Attack("the bundle is the manifest of the run", "bundle run -o run/manifest.json --force", 2, "which is read"),
    Attack("the bundle is a folder", "bundle run -o folder --force", 2, "it is a folder"),
    Attack("the bundle is a pipe from which nobody reads", "bundle run -o pipe --force", 2, "nobody reads"),
    Attack("the bundle is a link to nothing", "bundle run -o broken", 2, "a broken link"),
    Attack(
        "a starter goes through a link", "new task link.yaml --force", 2, "it is a link; name the file that is meant"
    ),
    Attack(
        "a starter goes where a link to nothing leads",
        "new task gone.yaml",
        2,
        "a broken link",
        _link("gone.yaml", "new/made.yaml"),
    ),
    Attack("a starter goes into a pipe", "new task pipe.yaml --force", 2, "nobody reads"),
    Attack("a starter goes to a device", "new task null.yaml --force", 0, "", _link("null.yaml", "/dev/null")),
    Attack(
        "a converted task replaces what it was made of",
        "convert metrics.json -o metrics.json --force",
        2,
        "which is read; choose another name",
    ),
    Attack("a converted task goes through a link", "convert metrics.json -o link.yaml --force", 2, "it is a link"),
    Attack("a converted task goes to a full device", "convert metrics.json -o /dev/full --force", 2, "free some space"),
    Attack(
        "a link is formatted",
        "fmt odd.yaml",
        2,
        "it is a link; name the file that is meant",
        _both(
            _text("odd.txt", "kind: task\nname: t\nscore: equal  |  zero_below(0.5)\n"), _link("odd.yaml", "odd.txt")
        ),
    ),
    Attack(
        "the lock of a spec is a link",
        "lock task.yaml",
        2,
        "it is a link; name the file that is meant",
        _link("task.lock.json", "data.jsonl"),
    ),
    Attack(
        "the lock of a spec is a link to nothing",
        "lock task.yaml",
        2,
        "a broken link",
        _link("task.lock.json", "new/x"),
    ),
    Attack(
        "a cache is exported over the data",
        "judge-cache export cache.sqlite data.jsonl",
        2,
        "choose another name",
        makes=_CACHE,
    ),
    Attack("a cache is exported through a link", "judge-cache export cache.sqlite broken", 2, "broken", makes=_CACHE),
    Attack("a cache is imported into the data", "judge-cache import data.jsonl /dev/null", 2, "data.jsonl"),
    Attack("a cache is imported from a pipe", "judge-cache import cache.sqlite pipe", 2, "pipe", makes=_CACHE),
]

SPECS = [
    Attack("an import with a zero byte", "check imports.yaml", 1, "import", _importing("./a\0b.yaml")),
    Attack("an import with a line end", "check imports.yaml", 1, "import", _importing("./a\nerror: b.yaml")),
    Attack("an import with an escape", "check imports.yaml", 1, "import", _importing("./\x1b[31m.yaml")),
    Attack("an import of 5,000 characters", "check imports.yaml", 1, "import", _importing("./" + "n" * 5000 + ".yaml")),
    Attack("an import of 5,000 folders", "check imports.yaml", 1, "import", _importing("./" + "d/" * 5000 + "x.yaml")),
    Attack("an import above the folder", "check imports.yaml", 1, "is outside", _importing("../../../etc/x.yaml")),
    Attack("an import of the root", "check imports.yaml", 1, "is outside", _importing("/etc/passwd")),
    Attack("an import of an address", "check imports.yaml", 1, "import", _importing("https://localhost/pack.yaml")),
    Attack("an import of a share", "check imports.yaml", 1, "import", _importing("//host/share/pack.yaml")),
    Attack("an import of a pipe", "check imports.yaml", 1, "there is no file", _importing("./pipe.yaml")),
    Attack("an import of a device", "check imports.yaml", 1, "is outside", _importing("/dev/zero")),
    Attack("an import of a folder", "check imports.yaml", 1, "there is no file", _importing("./folder")),
    Attack(
        "an import through a link that leads out",
        "check imports.yaml",
        1,
        "is outside",
        _importing("./out.yaml", _link("out.yaml", "/etc/passwd")),
    ),
    Attack(
        "an import through a cycle of links",
        "check imports.yaml",
        1,
        "import",
        _importing("./circle.yaml", _link("circle.yaml", "circle.yaml")),
    ),
    Attack("imports in a cycle", "check one.yaml", 1, "import", _cycle),
    Attack("an import of itself", "check imports.yaml", 1, "", _importing("./imports.yaml")),
    Attack(
        "an import of a lone surrogate",
        "check imports.yaml",
        1,
        "",
        _text("imports.yaml", 'kind: task\nname: t\nimports: {p: "./\\ud800.yaml"}\nscore: p.same\n'),
    ),
    Attack("a spec of a million lines", "check long.yaml", 1, "may have", _text("long.yaml", "a:\n" * 1_000_000)),
    Attack(
        "a spec of many aliases",
        "check bomb.yaml",
        1,
        "alias",
        _text(
            "bomb.yaml",
            "a: &a [1]\n"
            + "".join(
                f"b{n}: &b{n} [*{'a' if not n else f'b{n - 1}'}, *{'a' if not n else f'b{n - 1}'}]\n" for n in range(60)
            ),
        ),
    ),
    Attack("a spec that is a pipe", "check pipe.yaml", 1, "nothing opened it"),
    Attack("a spec that never ends", "check /dev/zero", 1, "more than"),
    Attack("a spec that is a folder of a cycle", "check circle", 1, "circle"),
    Attack("a spec called with a zero byte", "check a\0b.yaml", 1, "can't be read"),
    Attack("a folder with more than can be looked at", "check many", 2, "name a smaller folder", _many),
    Attack("folders inside one another without an end", "check d", 2, "levels deep", _deep),
    Attack("a folder with a link to itself", "check folder", 0, "not followed", _link("folder/again", ".")),
    Attack("a folder with a link that leads out", "check folder", 0, "not followed", _link("folder/out", "/")),
    Attack(
        "a folder with a link to a spec elsewhere",
        "check folder",
        0,
        "lies elsewhere",
        _link("folder/out.yaml", "../pack.yaml"),
    ),
    Attack(
        "formatting a folder with a link to a spec elsewhere",
        "fmt folder",
        0,
        "lies elsewhere",
        _link("folder/out.yaml", "../pack.yaml"),
    ),
    Attack(
        "a folder of pipes",
        "check pipes",
        2,
        "no spec files",
        lambda folder: ((folder / "pipes").mkdir(), os.mkfifo(folder / "pipes/a.yaml")),
    ),
]

READ = [
    Attack("data that is a pipe", "score task.yaml pipe.jsonl", 2, "nothing opened it for writing"),
    Attack("data that is a folder of a cycle", "score task.yaml circle", 2, "circle"),
    Attack(
        "a folder of data with a link to a folder",
        "score task.yaml rows",
        2,
        "a link to a folder",
        lambda folder: (
            (folder / "rows").mkdir(),
            os.link(folder / "data.jsonl", folder / "rows/a.jsonl"),
            (folder / "rows/b").symlink_to("/"),
        ),
    ),
    Attack("a pattern that leads everywhere", "score task.yaml many/**/*.jsonl", 2, "make it more specific", _many),
    Attack("a broken gz", "score task.yaml broken.jsonl.gz", 2, "get the file again"),
    Attack("a manifest of 100,000 lists", "compare run other", 2, "run", _manifest("[" * 100_000)),
    Attack("a manifest of nested objects", "verify run", 2, "run", _manifest('{"a":' * 50_000 + "1" + "}" * 50_000)),
    Attack("a manifest that is not a text", "verify run", 2, "run", _manifest(b"\xff\xfe\x00")),
    Attack("a manifest of a long number", "verify run", 2, "run", _manifest('{"seed": ' + "9" * 5000 + "}")),
    Attack(
        "a manifest that is a pipe", "verify run", 2, "run", _in_place("run/manifest.json", _pipe("run/manifest.json"))
    ),
    Attack(
        "a summary that is a pipe",
        "compare run other",
        2,
        "run",
        _in_place("run/summary.json", _pipe("run/summary.json")),
    ),
    Attack(
        "scores that are a pipe",
        "compare run other",
        2,
        "run",
        _in_place("run/scores.jsonl", _pipe("run/scores.jsonl")),
    ),
    Attack(
        "scores that are a folder",
        "compare run other",
        2,
        "run",
        _in_place("run/scores.jsonl", lambda folder: (folder / "run/scores.jsonl").mkdir()),
    ),
    Attack("a run that is a pipe", "verify pipe", 2, "pipe"),
    Attack("a run that is a cycle", "verify circle", 2, "circle"),
    Attack(
        "a run whose data has a zero byte",
        "verify run",
        1,
        "",
        _sealed(inputs=[{"role": "records", "name": "a\0b", "kind": "jsonl", "bytes": 1, "sha256": "0"}]),
    ),
    Attack(
        "a run whose data has a long name",
        "verify run",
        1,
        "",
        _sealed(inputs=[{"role": "records", "name": "n" * 5000, "kind": "jsonl", "bytes": 1, "sha256": "0"}]),
    ),
    Attack(
        "a run whose data is a pipe",
        "verify run",
        1,
        "",
        _sealed(inputs=[{"role": "records", "name": "pipe", "kind": "jsonl", "bytes": 1, "sha256": "0"}]),
    ),
    Attack(
        "a run whose data is a device",
        "bundle run -o new/x.zip",
        2,
        "",
        _sealed(inputs=[{"role": "records", "name": "/dev/zero", "kind": "jsonl", "bytes": 1, "sha256": "0"}]),
    ),
    Attack(
        "a run whose data is of a kind there is not",
        "verify run",
        1,
        "",
        _sealed(inputs=[{"role": "records", "name": "data.jsonl", "kind": "nothing", "bytes": 1, "sha256": "0"}]),
    ),
    Attack("a run whose files lead out", "bundle run -o new/x.zip", 2, "run", _sealed(files={"../secret.txt": "0"})),
    Attack(
        "a bundle with a member above",
        "verify evil.zip",
        2,
        "could lead elsewhere",
        _zip(("../x", b"1"), ("bundle.json", b"{}")),
    ),
    Attack(
        "a bundle with a member at the root",
        "verify evil.zip",
        2,
        "could lead elsewhere",
        _zip(("/tmp/x", b"1"), ("bundle.json", b"{}")),
    ),
    Attack("a bundle with a link", "verify evil.zip", 2, "not a plain file", _zip_link),
    Attack(
        "a bundle with a member twice",
        "verify evil.zip",
        2,
        "two members",
        _zip(("bundle.json", b"{}"), ("bundle.json", b"{}")),
    ),
    Attack(
        "a bundle with members that differ in case",
        "verify evil.zip",
        2,
        "differ only in case",
        _zip(("bundle.json", b"{}"), ("run/a", b"1"), ("RUN/A", b"2")),
    ),
    Attack(
        "a bundle with a member that is a folder of another",
        "verify evil.zip",
        2,
        "",
        _zip(
            (
                "bundle.json",
                b'{"scoring_run_bundle": 1, "members": {"run": {"bytes": 1, "sha256": ""},'
                b' "run/a": {"bytes": 1, "sha256": ""}}}',
            ),
            ("run", b"1"),
            ("run/a", b"1"),
        ),
    ),
    Attack("a bundle that is a pipe", "verify pipe", 2, "pipe"),
    Attack(
        "parts whose head is a pipe",
        "merge parts",
        2,
        "parts",
        _in_place("parts/parts.json", _pipe("parts/parts.json")),
    ),
    Attack(
        "parts whose head is nested",
        "merge parts",
        2,
        "parts",
        lambda folder: (folder / "parts/parts.json").write_text("[" * 100_000),
    ),
    Attack(
        "parts whose lines are a pipe",
        "merge parts",
        2,
        "parts",
        _in_place("parts/part-00001.jsonl", _pipe("parts/part-00001.jsonl")),
    ),
    Attack("a lock file that is a pipe", "check --locked task.yaml", 1, "lock", _pipe("task.lock.json")),
    Attack("a lock file that is nested", "check --locked task.yaml", 1, "lock", _text("task.lock.json", "[" * 100_000)),
    Attack("a cache that is a pipe", "judge-cache list pipe", 2, "pipe"),
    Attack("a cache that is a folder", "judge-cache list folder", 2, "folder"),
    Attack("a cache that is a text", "judge-cache list data.jsonl", 2, "data.jsonl"),
]

ATTACKS = [*OUTPUTS, *SPECS, *READ]
