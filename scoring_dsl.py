"""The package `scoring` under the name of its distribution, for folders in which a file `scoring.py` hides it.

Python looks for modules in the current folder first, and trainers and harnesses put the user's folder on the path, so
that `import scoring` may find a file of that folder:

    from scoring_dsl import scoring      # the package, or an ImportError that names the file that hides it
    python -m scoring_dsl score …        # the command, whatever the folder holds; `python -m scoring` runs that file
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_OWN = Path(__file__).resolve().with_name("scoring")


def hiding_file() -> str | None:
    """Return the path of the file or folder that `import scoring` finds in place of the package; None if it finds it.

    Examples:
        >>> hiding_file() is None
        True
    """
    loaded = sys.modules.get("scoring")
    found = loaded.__spec__ if loaded is not None else find_spec("scoring")
    origin = None if found is None else found.origin or next(iter(found.submodule_search_locations or ()), None)
    if origin is None:
        return "nothing"
    path = Path(origin).resolve()
    return None if path.is_relative_to(_OWN) else str(path)


def _package() -> ModuleType:
    hiding = hiding_file()
    if hiding is not None:
        raise ImportError(
            f"{hiding} hides the package `scoring` of scoring-dsl, which is in {_OWN}: rename it, or start Python "
            "with PYTHONSAFEPATH=1 (`python -P`)"
        )
    import scoring

    return scoring


def __getattr__(name: str) -> Any:
    if name == "scoring":
        return _package()
    raise AttributeError(f"module 'scoring_dsl' has no attribute {name!r}")


def _main() -> int:
    # As for the installed command, the current folder is not searched.
    sys.path[:] = [folder for folder in sys.path if folder and Path(folder).resolve() != Path.cwd()]
    sys.path.insert(0, str(_OWN.parent))
    _package()
    from scoring.cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(_main())
