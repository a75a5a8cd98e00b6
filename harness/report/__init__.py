"""Presentation of runs: tables, charts, the HTML page, and the formats they are written in."""
