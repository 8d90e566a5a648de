"""Delegates: groups elect them, they bargain for all, and every member signs their deal."""
