"""Commands that serve, and draw pages: `coop dev`, `view`, `report` and `a2a`."""
