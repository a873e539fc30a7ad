"""Programs and queries: run in the sandbox, judged by what they print, give and pass."""
