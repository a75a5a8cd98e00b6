"""The folder of a run: its files, the store, shards, the environment, and merging."""
