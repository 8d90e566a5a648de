"""LangGraph's checkpoints in a home's database, compressed, and read as plain data only."""
