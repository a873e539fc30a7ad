"""Adapters held to the real packages of hosts; what is not installed is skipped. `.ci/hosts.toml` says what is run."""
