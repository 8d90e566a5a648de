"""Nodes of the conversation that sets up a table, has it played, and tells what came of it."""
