"""Nodes at the table: they open, play, account and settle, and ask no agent."""
