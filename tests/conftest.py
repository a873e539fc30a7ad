"""Settings of the whole suite."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Time limits of single examples would make tests depend on how busy the machine is.
settings.register_profile("scoring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("scoring")
