"""Print how `scoring serve` fares on this machine, beside the same stack that echoes JSON.

    python -m benchmarks.serving                    # all trials; some minutes
    python -m benchmarks.serving --only pace killed # these
    python -m benchmarks.serving --scale 0.1        # with a tenth of the requests

The trials: `pace` (single, batch, floor), `connections` (10,000 at a time), `slow` (clients that send a byte at a time
beside others), `killed` (worker processes), `restarted` (the whole service), `rolled` (a new one takes the port of the
old one, which finishes), `full` (more than may wait). Every answer is compared with `Task.score`; a line whose answers
are not all right begins with `!`. The client is a process of its own on the same machine, so paces are lower bounds.
`python -m benchmarks.serving.hanging` measures what rows that hang cost.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from benchmarks.serving.trials import TRIALS, Bench


def main() -> None:
    """Run the trials."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.serving", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=sorted(TRIALS), metavar="TRIAL", help="these trials")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="the share of the requests")
    given = parser.parse_args()
    bench = Bench(given.scale)
    print(
        f"{'trial':24} {'answers':>9} {'requests/s':>10} {'rows/s':>9} {'p50 ms':>8} {'p99 ms':>8}  "
        f"{'MB before':>9} {'MB after':>9}  again"
    )
    for name in given.only or TRIALS:
        for line in asyncio.run(TRIALS[name](bench)):
            print(line.shown(), flush=True)
    sys.exit(1 if bench.has_failed else 0)


if __name__ == "__main__":
    main()
