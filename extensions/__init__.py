"""Removable parts: each folder here is an extension, found by its object `EXTENSION`."""
