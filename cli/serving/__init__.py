"""Commands that serve workflows or show runs as pages: `coop dev`, `view` and `report`."""
