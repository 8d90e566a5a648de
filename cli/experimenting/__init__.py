"""Commands of experiments: sweeps, their results, and scenarios."""
