"""Programs: run in the sandbox, judged by what they print."""
