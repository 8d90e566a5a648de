"""The files of a home: personas, prompt packs, mandates, keys, secrets, and digests of files."""
