"""Charts, trends, and pages of runs as self-contained HTML files.

>>> from harness.extensions.page import trend
>>> trend(["monday", "tuesday", "wednesday"]).trends  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.extensions.page.run_page import html
    from harness.extensions.page.trend_of_runs import Trend, trend

__all__ = ["Trend", "html", "trend"]

if not TYPE_CHECKING:  # the commands start without pandas
    __getattr__, __dir__ = lazily(__name__, __file__)
