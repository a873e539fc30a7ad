"""Limits on what is read from a source; whatever exceeds one is refused with a message of one line."""

from __future__ import annotations

from scoring.project import store

MOST_FILES = 10_000
"""Files of a source that are listed."""
MOST_PACKS = 1_000
"""Files of one that are read to find out whether they are packs."""
MOST_BYTES = store.MOST_BYTES
"""Bytes of one file of a pack."""
MOST_OF_A_PACK = store.MOST_FILES
"""Files of one release of a pack."""
MOST_CONTENT = store.MOST_CONTENT
"""Bytes of one release of a pack, and of all pack files of a source that are looked through."""
MOST_RELEASES = 1_000
"""Releases that a `versions.json` lists."""
MOST_FETCHED = 256_000_000
"""Bytes that git or pip may write for one source."""
MOST_ANSWERED = 16_000_000
"""The most bytes of a process's output."""
MOST_MEMORY = 4_000_000_000
"""Bytes of memory of such a process."""
PATIENCE = 120.0
"""Seconds that git or pip may take for one answer."""
MOST_REDIRECTS = 5
"""Times that a server may send us elsewhere on itself."""
TIMEOUT = 20.0
"""Seconds that one step of a download may wait; the whole download of a file may take five times as long."""
