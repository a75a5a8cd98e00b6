"""Presentation of runs: tables, charts, the HTML page, and the formats they are written in."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.report.answer import share_group
    from harness.report.ci import Annotation, CaseOutcome, JUnitCase
    from harness.report.documents import Document, PuzzleDocument, QuestionDocument
    from harness.report.formatting import (
        PLAIN,
        Style,
        Theme,
        backend_name,
        duration,
        file_name,
        inverse,
        multiple,
        ratio,
        shape_name,
        share,
        shown_backend,
        span,
    )
    from harness.report.jsonable import json, plain
    from harness.report.reply import CheckedAnswer, Reply
    from harness.report.run_documents import rows
    from harness.report.table import (
        ReportTable,
        Section,
        is_missing,
        note_text,
        sort_value,
        tables_of,
    )

__all__ = [
    "PLAIN",
    "Annotation",
    "CaseOutcome",
    "CheckedAnswer",
    "Document",
    "JUnitCase",
    "PuzzleDocument",
    "QuestionDocument",
    "Reply",
    "ReportTable",
    "Section",
    "Style",
    "Theme",
    "backend_name",
    "duration",
    "file_name",
    "inverse",
    "is_missing",
    "json",
    "multiple",
    "note_text",
    "plain",
    "ratio",
    "rows",
    "shape_name",
    "share",
    "share_group",
    "shown_backend",
    "sort_value",
    "span",
    "tables_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
