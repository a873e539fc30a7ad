"""Settings of the whole suite.

Properties are tried on random examples where people work, so that every run looks at new ones, and what fails is kept
and shrunk. In CI (the variable `CI` is set; `.ci/run` sets it) they are the same ones in each run: there a red run has
to be the fault of the change that it tests.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Time limits of single examples would make tests depend on how busy the machine is.
settings.register_profile("scoring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("scoring-ci", settings.get_profile("scoring"), derandomize=True, database=None)
settings.load_profile("scoring-ci" if os.environ.get("CI") else "scoring")
