"""Commands that run servers and write pages: `coop dev`, `view` and `report`."""
