"""The definitions of this extension's workflows: their nodes and edges."""
