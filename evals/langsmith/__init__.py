"""The export of a traced run's measures to LangSmith as feedback."""
