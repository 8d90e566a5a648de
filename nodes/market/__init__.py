"""Nodes of the call market: orders, and the one price at which each good clears."""
