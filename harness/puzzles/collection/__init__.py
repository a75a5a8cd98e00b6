"""Datasets of the user: what is imported, compared, described and rated.

options      choices of the commands
same         which puzzles of files and datasets are the same, or equivalent
selecting    some puzzles of a file
importing    a puzzle file becomes a dataset of the catalogue
facts        facts about each puzzle
statistics   facts about all puzzles of a dataset
rating       records with ratings, and how many guesses a puzzle costs
"""
