"""Sweeps: the plan, the sweep file and its execution."""
