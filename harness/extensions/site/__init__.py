"""The site of results: records of runs as static pages, offline and without scripts."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.extensions.site.pages import write

__all__ = ["write"]

if not TYPE_CHECKING:  # the command starts without pandas
    __getattr__, __dir__ = lazily(__name__, __file__)
