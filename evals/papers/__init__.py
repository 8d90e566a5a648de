"""The papers' own tables, computed by this implementation."""
