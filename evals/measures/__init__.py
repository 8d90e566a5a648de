"""The measures of runs, with the reference points and statistics that they need."""
