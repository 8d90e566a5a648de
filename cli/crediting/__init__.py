"""Commands that credit what was done: `coop credit` and `wev`."""
