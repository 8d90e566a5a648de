"""`coop sweep`, `coop status` and `coop merge`."""
