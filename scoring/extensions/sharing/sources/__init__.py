"""Sources of packs: folders, git repositories, Python distributions, and addresses.

What is fetched is data: bytes are read out of git objects, zip files and answers of servers, and nothing of them is
imported, executed or checked out.
"""
