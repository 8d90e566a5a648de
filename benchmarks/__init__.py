"""Benchmarks of speed, size and cost beside peers; not in the wheel. `make bench` runs all."""
