"""LangGraph's checkpoints in SQLite or Postgres: packed, and read as plain data only."""
