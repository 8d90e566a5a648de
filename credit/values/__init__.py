"""Values of cooperative games: semivalues exact and sampled, Deegan–Packel, nucleolus."""
