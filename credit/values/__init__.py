"""Values of cooperative games: exact and sampled semivalues, Deegan–Packel index, nucleolus."""
