"""The tables of stores that earlier versions of the harness wrote and this one reads."""

from typing import Final

_VERSION_5: Final = """
CREATE TABLE configurations (
    id INTEGER PRIMARY KEY, "backend" TEXT NOT NULL, "paradigm" TEXT NOT NULL,
    "options" TEXT NOT NULL, "versions" TEXT NOT NULL,
    UNIQUE (backend, options, versions)
);
CREATE TABLE puzzles (
id TEXT PRIMARY KEY, "shape" TEXT NOT NULL, "puzzle" TEXT NOT NULL, "clues" INTEGER NOT NULL
);
CREATE TABLE instances (
    id INTEGER PRIMARY KEY, position INTEGER NOT NULL, "dataset" TEXT NOT NULL,
    "name" TEXT NOT NULL, "puzzle_id" TEXT NOT NULL, "expected_count" TEXT,
    UNIQUE (dataset, puzzle_id),
    FOREIGN KEY (puzzle_id) REFERENCES puzzles (id)
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    "task" TEXT NOT NULL, "limit" INTEGER, "start" TEXT NOT NULL, "host" TEXT NOT NULL,
    "timeout_s" REAL NOT NULL, "cpu_limit_s" REAL NOT NULL, "memory_limit_mib" INTEGER,
    UNIQUE (configuration_id, "task", "limit", "start", "host", "timeout_s", "cpu_limit_s",
        "memory_limit_mib")
);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    "repetition" INTEGER NOT NULL, "answer_verdict" TEXT NOT NULL, "answer_reason" TEXT NOT NULL,
    "count" INTEGER, "exact" INTEGER, "solution" TEXT, "wall_s" REAL, "cpu_s" REAL,
    "build_s" REAL, "encode_s" REAL, "search_s" REAL, "decode_s" REAL,
    "cpu_source" TEXT NOT NULL, "memory_bytes" INTEGER, "memory_source" TEXT NOT NULL,
    "voluntary_switches" INTEGER, "involuntary_switches" INTEGER, "minor_faults" INTEGER,
    "major_faults" INTEGER, "core" INTEGER, "exit_code" INTEGER, "stats" TEXT NOT NULL,
    "ended_at" REAL,
    UNIQUE (question_id, repetition, instance_id)
);
CREATE TABLE events (
    at TEXT NOT NULL, backend TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL
);
"""

_VERSION_6: Final = """
CREATE TABLE configurations (
    id INTEGER PRIMARY KEY, "backend" TEXT NOT NULL, "spec" TEXT, "paradigm" TEXT NOT NULL,
    "options" TEXT NOT NULL, "versions" TEXT NOT NULL,
    UNIQUE (backend, options, versions)
);
CREATE TABLE puzzles (
id TEXT PRIMARY KEY, "shape" TEXT NOT NULL, "puzzle" TEXT NOT NULL, "clues" INTEGER NOT NULL
);
CREATE TABLE instances (
    id INTEGER PRIMARY KEY, position INTEGER NOT NULL, "dataset" TEXT NOT NULL,
    "name" TEXT NOT NULL, "puzzle_id" TEXT NOT NULL, "expected_count" TEXT,
    UNIQUE (dataset, puzzle_id),
    FOREIGN KEY (puzzle_id) REFERENCES puzzles (id)
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    "task" TEXT NOT NULL, "limit", "start" TEXT NOT NULL, "host" TEXT NOT NULL,
    "timeout_s" REAL NOT NULL, "cpu_limit_s" REAL NOT NULL, "memory_limit_mib" INTEGER,
    UNIQUE (configuration_id, "task", "limit", "start", "host", "timeout_s", "cpu_limit_s",
        "memory_limit_mib")
);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    "repetition" INTEGER NOT NULL, "answer_verdict" TEXT NOT NULL, "answer_reason" TEXT NOT NULL,
    "count", "exact" INTEGER, "solution" TEXT, "wall_s" REAL, "cpu_s" REAL,
    "build_s" REAL, "encode_s" REAL, "search_s" REAL, "decode_s" REAL,
    "cpu_source" TEXT NOT NULL, "memory_bytes" INTEGER, "memory_source" TEXT NOT NULL,
    "voluntary_switches" INTEGER, "involuntary_switches" INTEGER, "minor_faults" INTEGER,
    "major_faults" INTEGER, "core" INTEGER, "exit_code" INTEGER, "stats" TEXT NOT NULL,
    "ended_at" REAL,
    UNIQUE (question_id, repetition, instance_id)
);
CREATE TABLE events (
    at TEXT NOT NULL, backend TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL
);
"""

_VERSION_7: Final = """
CREATE TABLE configurations (
    id INTEGER PRIMARY KEY, "backend" TEXT NOT NULL, "spec" TEXT, "paradigm" TEXT NOT NULL,
    "options" TEXT NOT NULL, "versions" TEXT NOT NULL,
    UNIQUE (backend, options, versions)
);
CREATE TABLE puzzles (
id TEXT PRIMARY KEY, "shape" TEXT NOT NULL, "puzzle" TEXT NOT NULL, "clues" INTEGER NOT NULL
);
CREATE TABLE instances (
    id INTEGER PRIMARY KEY, position INTEGER NOT NULL, "dataset" TEXT NOT NULL,
    "name" TEXT NOT NULL, "puzzle_id" TEXT NOT NULL, "expected_count" TEXT,
    UNIQUE (dataset, puzzle_id),
    FOREIGN KEY (puzzle_id) REFERENCES puzzles (id)
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    "task" TEXT NOT NULL, "limit", "start" TEXT NOT NULL, "host" TEXT NOT NULL,
    "timeout_s" REAL NOT NULL, "cpu_limit_s" REAL NOT NULL, "memory_limit_mib" INTEGER,
    UNIQUE (configuration_id, "task", "limit", "start", "host", "timeout_s", "cpu_limit_s",
        "memory_limit_mib")
);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    "repetition" INTEGER NOT NULL, "call" TEXT, "answer_verdict" TEXT NOT NULL,
    "answer_reason" TEXT NOT NULL, "count", "exact" INTEGER, "solution" TEXT, "wall_s" REAL,
    "cpu_s" REAL, "build_s" REAL, "encode_s" REAL, "search_s" REAL, "decode_s" REAL,
    "cpu_source" TEXT NOT NULL, "memory_bytes" INTEGER, "memory_source" TEXT NOT NULL,
    "voluntary_switches" INTEGER, "involuntary_switches" INTEGER, "minor_faults" INTEGER,
    "major_faults" INTEGER, "core" INTEGER, "exit_code" INTEGER, "stats" TEXT NOT NULL,
    "ended_at" REAL,
    UNIQUE (question_id, repetition, instance_id)
);
CREATE TABLE events (
    at TEXT NOT NULL, backend TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL
);
"""

EARLIER: Final = {5: _VERSION_5, 6: _VERSION_6, 7: _VERSION_7}
"""The statements that made the tables, by version."""
