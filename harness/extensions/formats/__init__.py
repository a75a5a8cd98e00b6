"""Puzzle formats of applications and programs, and downloads of public sets."""
