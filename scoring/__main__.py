"""Entry point of `python -m scoring`, which runs the `scoring` command."""

from __future__ import annotations

import sys

from scoring.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
