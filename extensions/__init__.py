"""What can be removed: each folder here is an extension, found by its `EXTENSION`."""
