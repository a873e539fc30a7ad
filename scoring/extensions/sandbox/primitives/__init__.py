"""Programs and queries: run in the sandbox, and scored by their output, their values, or the tests they pass."""
