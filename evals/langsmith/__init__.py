"""Results in LangSmith: a suite as a dataset, its conditions as experiments, scores of traces."""
