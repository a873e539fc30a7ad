"""Benchmarks as plug-ins: the quirks of released code, foreign formats and metrics of one benchmark each."""
