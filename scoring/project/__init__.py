"""A project's statements about its packs: its file, its lock, and the store of fetched content; offline and cheap."""
