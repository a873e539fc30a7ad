"""The files of a project: the project file with the sources of its packs, its lock, and the store of fetched packs.

Nothing here uses the network, and importing it is cheap.
"""
