"""Worker processes that are kept between questions, their pipes, and crews of them; threads for what only waits."""
