"""Nodes of the task exchange."""
