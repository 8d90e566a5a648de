"""Commands that compute credit: `coop credit` and `wev`."""
