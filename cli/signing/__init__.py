"""Commands for checks before signing, of contracts and of messages."""
