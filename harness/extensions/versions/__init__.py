"""Backends in environments of their own: several versions of a library side by side."""
