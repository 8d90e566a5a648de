"""Nodes that ask no agent, but open an episode, play turns, compute accounts and settle."""
