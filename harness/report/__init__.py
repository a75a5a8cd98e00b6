"""Presentation of runs: tables, charts, the HTML page, and the formats they are written in."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.report.answer import share_group
    from harness.report.ci import (
        Annotation,
        CaseOutcome,
        JUnitCase,
        annotation,
        cases_of_check,
        cases_of_comparison,
        junit,
    )
    from harness.report.documents import (
        BackendData,
        Diagnosis,
        Document,
        Inspected,
        PuzzleDocument,
        QuestionDocument,
        SolveDocument,
    )
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
    from harness.report.run_documents import (
        Checked,
        Finished,
        Reported,
        RowData,
        compared,
        reported,
        rows,
    )
    from harness.report.table import (
        DISQUALIFIED,
        WITHOUT_ANSWER,
        ReportTable,
        Row,
        Section,
        disqualified,
        is_missing,
        listed,
        note_text,
        sort_value,
        tables_of,
        without_answer,
    )

__all__ = [
    "DISQUALIFIED",
    "PLAIN",
    "WITHOUT_ANSWER",
    "Annotation",
    "BackendData",
    "CaseOutcome",
    "Checked",
    "CheckedAnswer",
    "Diagnosis",
    "Document",
    "Finished",
    "Inspected",
    "JUnitCase",
    "PuzzleDocument",
    "QuestionDocument",
    "Reply",
    "ReportTable",
    "Reported",
    "Row",
    "RowData",
    "Section",
    "SolveDocument",
    "Style",
    "Theme",
    "annotation",
    "backend_name",
    "cases_of_check",
    "cases_of_comparison",
    "compared",
    "disqualified",
    "duration",
    "file_name",
    "inverse",
    "is_missing",
    "json",
    "junit",
    "listed",
    "multiple",
    "note_text",
    "plain",
    "ratio",
    "reported",
    "rows",
    "shape_name",
    "share",
    "share_group",
    "shown_backend",
    "sort_value",
    "span",
    "tables_of",
    "without_answer",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
