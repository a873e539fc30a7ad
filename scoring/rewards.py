"""The public names for trainers: each returns the function that the trainer of its name calls for rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.hosts.rewards.areal import areal as areal
    from scoring.extensions.hosts.rewards.nemo_gym import nemo_gym as nemo_gym
    from scoring.extensions.hosts.rewards.openrlhf import openrlhf as openrlhf
    from scoring.extensions.hosts.rewards.skyrl import skyrl as skyrl
    from scoring.extensions.hosts.rewards.trl import trl as trl
    from scoring.extensions.hosts.rewards.verifiers import prime_rl as prime_rl
    from scoring.extensions.hosts.rewards.verifiers import verifiers as verifiers
    from scoring.extensions.hosts.rewards.verl import verl as verl

__all__, __getattr__, __dir__ = room("rewards")
