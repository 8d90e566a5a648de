"""What a run is measured by: evaluators, reference points, statistics."""
