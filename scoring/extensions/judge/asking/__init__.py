"""Asking judges: settings, client, cache, panel, ledger."""
