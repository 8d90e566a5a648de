"""Commands for experiments: sweeps, their results, and scenarios."""
