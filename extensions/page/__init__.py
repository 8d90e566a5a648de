"""The run page: the bundles and feeds of runs, and the page's files."""
