"""Nodes that ask agents, validate their answers and publish the valid ones."""
