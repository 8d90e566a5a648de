"""A traced run's measures, as feedback in LangSmith."""
