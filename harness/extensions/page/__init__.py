"""The report as a self-contained HTML file."""

from harness.extensions.page.run_page import html

__all__ = ["html"]
