"""What can be removed: each folder here is an extension, which the core finds by its `EXTENSION`."""
