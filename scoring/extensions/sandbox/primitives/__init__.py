"""Programs and queries: run in the sandbox, and judged by their output, their results and their tests."""
