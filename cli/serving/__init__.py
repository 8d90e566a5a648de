"""Commands that run servers: `coop dev` and `coop view`."""
