"""The run page: bundles, feeds and the files that draw them."""
