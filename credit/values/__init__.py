"""Values of cooperative games: semivalues exact and sampled, core and nucleolus."""
