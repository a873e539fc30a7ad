"""Whether a Parquet file's footer can be asked what it says, tried in a process that may die of it.

What pyarrow refuses while it reads is an exception here. What it refuses while it is asked about a column of a row
group (sizes that contradict the schema, a column that is encrypted) ends the whole process: C++ raises where nobody
can catch it. So a fork asks first, and asks for everything; it shares this process' memory, and costs milliseconds.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from scoring.data.rows.row import InputError


def check_footer(metadata: Any, name: str) -> None:
    """Refuse a file whose footer can't be asked; where the system has no forks, nothing is tried.

    Args:
        metadata: The footer, as `pyarrow.parquet` gives it.
        name: The file, for the message.

    Raises:
        InputError: when a process that asked has died of it.
    """
    if not hasattr(os, "fork"):
        return
    with warnings.catch_warnings():
        # Python warns of forks beside threads: this one runs nothing of theirs, and waits for nobody.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _ask(metadata)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise InputError(f"can't read {name}: what its footer says of a column can't be; write the file again")


def _ask(metadata: Any) -> None:
    """Ask for every column of every row group, silently, and end; what Python raises is raised where it counts."""
    try:
        import faulthandler
        import resource

        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            for column in range(group.num_columns):
                group.column(column)
    finally:
        os._exit(0)
