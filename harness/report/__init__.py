"""Presentation of runs: tables, charts, the HTML page, and the formats they are written in."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.report.answer import share_group
    from harness.report.ci import (
        Annotation,
        CaseOutcome,
        JUnitCase,
        cases_of_check,
        cases_of_comparison,
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
        Style,
        Theme,
        backend_name,
        duration,
        file_name,
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
        comparison_document,
        rows,
    )
    from harness.report.table import (
        ReportTable,
        Section,
        disqualified_line,
        is_missing,
        name_list,
        tables_of,
        without_answer_line,
    )

__all__ = [
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
    "RowData",
    "Section",
    "SolveDocument",
    "Style",
    "Theme",
    "backend_name",
    "cases_of_check",
    "cases_of_comparison",
    "comparison_document",
    "disqualified_line",
    "duration",
    "file_name",
    "is_missing",
    "json",
    "name_list",
    "plain",
    "ratio",
    "rows",
    "shape_name",
    "share",
    "share_group",
    "shown_backend",
    "span",
    "tables_of",
    "without_answer_line",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
