"""Datasets: the catalogue, imports, facts about puzzles, and conditions that choose them."""
