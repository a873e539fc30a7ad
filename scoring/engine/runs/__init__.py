"""Run folders: written, read, verified, compared."""
