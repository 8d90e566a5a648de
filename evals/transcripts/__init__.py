"""Transcripts of runs: public events and results in words."""
