"""LangGraph's checkpoints in SQLite or Postgres: strict about what is loaded, and packed."""
