"""The formats of tables on the command line."""

from enum import StrEnum
from typing import Annotated, Final

from harness.cli.options import choice_option


class ReportFormat(StrEnum):
    """Formats of tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"


FormatOption = Annotated[ReportFormat, choice_option(ReportFormat, "--format", "Output format.")]

ALWAYS_ALL: Final = "--format html always includes all tables"
NO_TABLE: Final = "no --table"
