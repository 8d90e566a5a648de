"""Nodes that ask no agent: they open, play, account and settle."""
