"""Trials in isolated processes: supervisor, servers, monitors, workers and limits."""
