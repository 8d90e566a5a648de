"""Nodes that count the signatures of a contract, and take and forfeit deposits."""
