"""The questions to agents that trade tasks."""
