"""What the LangGraph server adds to the graphs."""
