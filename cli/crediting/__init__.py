"""Commands that compute the credit of agents and roles: `coop credit` and `wev`."""
