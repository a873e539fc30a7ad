"""`python -m scoring` is the command `scoring`."""

from __future__ import annotations

import sys

from scoring.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
