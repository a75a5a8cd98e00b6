"""The report as a self-contained HTML file."""

from harness.report.page.run_page import html

__all__ = ["html"]
