"""Delegates: groups elect delegates, who bargain for all; every member signs the deal."""
