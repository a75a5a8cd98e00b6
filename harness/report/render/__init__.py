"""Formats of tables: one module for each format, which also escapes the texts."""
