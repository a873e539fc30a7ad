"""Worker processes that other extensions keep between their questions, and their pipes; threads for what only waits."""
