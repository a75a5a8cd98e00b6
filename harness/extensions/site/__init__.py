"""The site of results: records of runs as static pages, offline and without scripts."""

from harness.extensions.site.pages import write

__all__ = ["write"]
