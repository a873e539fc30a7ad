"""The first lines of Python files that are written for harnesses, which import this package from folders of others."""

from __future__ import annotations

GUARD = '''\
from importlib.util import find_spec
from pathlib import Path

# A `scoring.py` in a folder that Python looks through first would be imported in place of the package; it is not run.
found = find_spec("scoring")
if found is None:
    raise ImportError("this task needs the package scoring: pip install scoring-dsl")
if not any(Path(one, "registry", "index.json").is_file() for one in found.submodule_search_locations or ()):
    raise ImportError(f"`import scoring` finds {found.origin}, not the package scoring-dsl: rename or move that file")
'''
"""It says in one line that `import scoring` would find another module."""
