"""Nodes of the contract workflow: drafting, signing, enforcement, judgement."""
