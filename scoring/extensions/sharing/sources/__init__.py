"""Sources of packs: folders, git repositories, Python distributions, and addresses of HTTP servers and stores.

Whatever is fetched is treated as data: bytes are read from git objects, zip files and HTTP responses, and nothing is
imported, executed or checked out.
"""
