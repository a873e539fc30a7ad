"""Where a place lies: what every geocoder finds."""

from __future__ import annotations

from typing import TypeAlias

Coordinates: TypeAlias = tuple[float, float]
"""Latitude and longitude in degrees."""
