"""Nodes that ask agents, validate their drafts and publish sound answers."""
