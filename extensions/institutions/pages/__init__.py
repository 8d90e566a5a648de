"""The workflows of this extension: a module for each, with all its nodes and edges."""
