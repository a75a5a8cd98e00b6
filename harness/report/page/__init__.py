"""The report as one HTML file that needs nothing else: no network, no other file."""

from harness.report.page.run_page import html

__all__ = ["html"]
