"""LangGraph's checkpoints in SQLite or Postgres, compressed, and read as plain data only."""
