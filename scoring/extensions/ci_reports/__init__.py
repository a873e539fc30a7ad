"""Findings as files that CI systems and code hosts read: SARIF and JUnit."""
