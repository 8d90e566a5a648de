"""Commands for checks before signing: of contracts, messages, keys and mandates."""
