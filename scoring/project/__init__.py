"""What a project says of its packs: its file, its lock, and the store of what was fetched; offline and cheap."""
