"""Contracts as prose: the document, reading it back, auditing and judging it."""
