"""The Model Context Protocol: one tool for each thing that a user does."""
