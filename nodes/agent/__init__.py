"""Nodes that ask an agent, check its draft and publish what was sound."""
