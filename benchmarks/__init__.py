"""Speed, size and cost, measured beside the peers; outside the wheel. `make bench` runs all."""
