"""Commands that check before anything is signed: contracts, messages, keys, mandates."""
