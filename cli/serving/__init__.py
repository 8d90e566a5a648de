"""Commands that serve, and draw pages: `coop dev`, `view` and `report`."""
