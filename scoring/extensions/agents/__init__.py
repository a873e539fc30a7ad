"""Help for language models that write specs: a skill, an index of the pages, and a server of tools for agents."""
