"""Files in which other programs state their tasks, read into specs."""
