"""The parts of the LangGraph server: its routes, middleware, seats of people, and run pages."""
