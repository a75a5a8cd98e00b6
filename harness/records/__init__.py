"""Records of a run: trial fields, verdicts, the store, the environment."""
