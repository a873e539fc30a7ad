"""Programs that try to get out of the sandbox, to take the machine with them, or to leave something for the next one.

Each prints ESCAPED where it gets what it is after. What it must not reach is prepared by the tests and named in the
program by a word in capitals, and so are the numbers of system calls.
"""

from tests.extensions.sandbox.attacks.build import KNOWN, NUMBERS, Attack
from tests.extensions.sandbox.attacks.calls import CALLS
from tests.extensions.sandbox.attacks.files import FILES
from tests.extensions.sandbox.attacks.first import FIRST, PEEK, PEEK_INTO_MEMORY
from tests.extensions.sandbox.attacks.leaving import LEFT, LOOK, SPY
from tests.extensions.sandbox.attacks.memory import MEMORY
from tests.extensions.sandbox.attacks.output import OUTPUT
from tests.extensions.sandbox.attacks.processes import PROCESSES

ATTACKS: tuple[Attack, ...] = (*FIRST, *FILES, *MEMORY, *PROCESSES, *CALLS, *OUTPUT, *LEFT)

__all__ = ["ATTACKS", "KNOWN", "LOOK", "NUMBERS", "PEEK", "PEEK_INTO_MEMORY", "SPY", "Attack"]
