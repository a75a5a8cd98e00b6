"""What is run: plans of trials, workers that run them, limits, verdicts, the store."""
