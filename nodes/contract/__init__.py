"""Nodes of signed contracts: they count signatures, take deposits and forfeit deposits."""
