"""Sweeps on several machines."""
