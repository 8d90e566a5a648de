"""Nodes where delegates bargain: groups, their delegates, and what every member signs."""
