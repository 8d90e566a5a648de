"""What the LangGraph server gets beside the graphs: callers, tenants, limits, recovery."""
