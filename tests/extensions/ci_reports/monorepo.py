"""A repository with two projects, each with its lock, and much that is no spec."""

from __future__ import annotations

from pathlib import Path

from tests.support.locking import lock_project

PACK = """kind: pack
name: close
version: {version}
doc: How near two texts are.
scorers:
  near:
    doc: Levenshtein's similarity, from a threshold on.
    source: ours
    score: levenshtein | zero_below({least})
    examples: [[abcd, abcx, {near}], [a, a, 1.0]]
"""
TASK = """kind: task
name: {name}/answers
version: 1.0.0
imports: {{c: close@1}}
score: c.near
examples:
  - {{response: abcd, reference: abcx, expect: {near}}}
"""


def write(folder: Path) -> Path:
    """Projects `a` and `b` take two releases of one pack from `shared`; 0.75 is near in one of them alone."""
    shared = folder / "shared"
    for version, least, near in (("1.0.0", 0.5, 0.75), ("1.1.0", 0.8, 0.0)):
        place = shared / version
        place.mkdir(parents=True)
        (place / "close.yaml").write_text(PACK.format(version=version, least=least, near=near))
    for name, wanted, near in (("a", "==1.0.0", 0.75), ("b", "==1.1.0", 0.0)):
        project = folder / "projects" / name
        project.mkdir(parents=True)
        (project / "scoring.toml").write_text(f'[packs]\nclose = {{folder = "../../shared", version = "{wanted}"}}\n')
        (project / "task.yaml").write_text(TASK.format(name=name, near=near))
        lock_project(project)
    (folder / "compose.yaml").write_text("services: {web: {image: nginx}}\n")
    (folder / "deployment.yml").write_text("kind: Deployment\nmetadata: {name: web}\n")
    (folder / "package.json").write_text('{"name": "web", "kind": "module"}')
    (folder / ".venv" / "lib").mkdir(parents=True)
    (folder / ".venv" / "lib" / "theirs.yaml").write_text("kind: task\nbroken: true\n")
    return folder
