"""Tests of the extension calibration."""
