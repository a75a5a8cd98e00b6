"""The noise of a machine: copies of one backend, and the differences between their times."""
