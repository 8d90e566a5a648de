"""Nodes of signed contracts: signatures are counted, deposits are taken and forfeited."""
