"""What of a home is files: personas, packs, mandates, keys, secrets, digests of what it reads."""
