"""Self-interested LLM agents that negotiate, sign contracts, act, and settle fairly."""
