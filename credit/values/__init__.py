"""Values of cooperative games: exact and sampled semivalues."""
