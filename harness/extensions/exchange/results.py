"""Results of BenchExec, ours or of any tool, as a run."""

import bz2
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from harness.base.errors import InputError, failures_described, located
from harness.base.files import LARGEST_BYTES, decoded, new_folder, opened, read_beyond
from harness.base.text import number_of, short_repr
from harness.extensions.exchange.exports import MEASURED, plain
from harness.extensions.formats.xml import Element, elements
from harness.puzzles import Instance
from harness.puzzles.datasets import listings, load_datasets
from harness.puzzles.formats import TextSource
from harness.records import Ending, Outcome, Question, Start, Task, Trial, judge
from harness.records.folder import RunFile, frame_of, write_store

_DOCTYPE: Final = re.compile(r"<!DOCTYPE\s+result\b[^\[>]*>")
"""The document type that BenchExec declares; one with entities has a bracket."""
_ENDINGS: Final = {
    **dict.fromkeys(("true", "false", "done", "unknown"), Ending.ANSWERED),
    "TIMEOUT": Ending.TIME_LIMIT,
    "OUT OF MEMORY": Ending.MEMORY_LIMIT,
    "ERROR (wrong)": Ending.INVALID,
    "ERROR (unsupported)": Ending.UNSUPPORTED,
}
"""The endings by status; with any other status a program failed."""

Fields = dict[str, str]
"""The attributes of a result, and the columns of a run."""
Places = Mapping[tuple[str, str], Sequence[tuple[str, Instance]]]
"""The datasets and instances by the name of a run and the seed of a scramble."""


def import_results(files: Sequence[Path], out: Path, datasets: Sequence[str] | None) -> str:
    """Write the runs of results to the new folder `out` as the trials of a run; returns how many.

    Raises:
        InputError: a file is not a result of BenchExec, a run is malformed or names no puzzle of
            the `datasets`, or the folder exists.
    """
    runs = [run for file in files for run in _runs(file)]
    with new_folder(out) as folder:
        places, ended = _places([fields for _, fields in runs], datasets), []
        for element, fields in runs:
            problem = f"the run {short_repr(element.attributes.get('name'))} is malformed"
            with located(element.where, InputError), failures_described(problem):
                ended.append(_ended(element.attributes["name"], fields, places))
        columns = plain(frame_of(judge(ended))).to_dict("list")
        for name in ("host", "paradigm", "options", "versions"):
            columns[name] = [fields.get(name) for _, fields in runs]
        write_store(folder / RunFile.STORE, columns, [], out)
    return f"{number_of(len(runs), 'trial')} of {number_of(len(files), 'file')} are in {out}"


def _runs(file: Path) -> Iterator[tuple[Element, Fields]]:
    """The runs of a result.

    Raises:
        InputError: the file cannot be read, or is not a result of BenchExec.
    """
    with opened(file) as raw, failures_described("cannot be read", where=str(file)):
        source: Any = bz2.BZ2File(raw) if raw.peek(3).startswith(b"BZh") else raw
        text = decoded(read_beyond(source, LARGEST_BYTES), str(file))
        text = _DOCTYPE.sub(lambda match: "\n" * match[0].count("\n"), text, count=1)
    fields: Fields = {}
    for element in elements(TextSource.of_text(text, str(file))):
        attributes, parents = element.attributes, [parent.name for parent in element.parents]
        if element.name == "column" and parents == ["result", "run"]:
            fields[attributes.get("title", "")] = attributes.get("value", "")
        elif element.name == "systeminfo" and parents == ["result"]:
            element.parents[0].attributes.setdefault("host", attributes.get("hostname", ""))
        elif element.name == "run" and parents == ["result"]:
            yield element, element.parents[0].attributes | fields
            fields = {}
    if element.name != "result":
        raise element.error(f"the element {element.name!r}", "a result of BenchExec")


def _places(runs: Sequence[Fields], names: Sequence[str] | None) -> Places:
    """The instances of the datasets called `names`, or else of those of the catalogue in `runs`.

    Raises:
        PuzzleError: a dataset does not exist.
    """
    datasets = {fields.get("dataset") for fields in runs}
    seeds = [seed for seed in {fields.get("scramble", "0") for fields in runs} if seed.isdecimal()]
    places = defaultdict(list)
    for dataset in load_datasets(names or [e.name for e in listings() if e.name in datasets]):
        for instance in dataset.scramble(sorted(map(int, seeds))).instances:
            own_name = f"{dataset.name}/{instance.name}#{instance.puzzle.id}"
            for name in (own_name, instance.name):
                places[name, instance.scramble].append((dataset.name, instance))
    return places


def _ended(name: str, fields: Fields, places: Places) -> tuple[Trial, Outcome]:
    """A run as a trial with its outcome; the fields of a tool's run become those of a trial.

    Raises:
        InputError: a column is missing or has another unit, or the name is that of no puzzle.
    """
    full_status = _field(fields, "status")
    status = full_status.partition("(")[0].rstrip()
    ending = _ENDINGS.get(full_status, _ENDINGS.get(status, Ending.EXITED))
    if is_own := "backend" in fields:
        question = msgspec.convert({"limit": 0} | fields, Question, strict=False)
    else:
        # BenchExec adds 30 s to the limit on CPU time for the limit on wall time.
        tool, limit_s = fields["tool"], float(_field(fields, "timelimit", "s"))
        memory_mib = int(_field({"memlimit": "0B"} | fields, "memlimit", "B")) // 2**20
        question = Question(Task.COUNT, 1, Start.COLD, limit_s + 30, limit_s, memory_mib)
        fields |= {
            "backend": tool,
            "paradigm": "command",
            "options": json.dumps({"options": fields.get("options", "")}),
            "versions": json.dumps({tool: fields.get("version")}),
            "count": f"{status == 'true':d}",
            "exact": f"{status == 'false'}",
        }
    for title, measured in MEASURED.items():
        if title in fields or (title == "walltime" and ending is Ending.ANSWERED):
            fields[measured] = _field(fields, title, "s" if measured.endswith("_s") else "B")
    key = name if is_own else PurePath(name).stem
    matches = places.get((key, fields.get("scramble", "")), ())
    if len(matches) != 1:
        problem = f"{number_of(len(matches), 'puzzle')} with the name {key!r}"
        raise InputError(problem, expected="one, in the datasets of --dataset")
    reason = fields.get("reason", full_status)
    if ending is Ending.ANSWERED and is_own:  # the verdict on an answer precedes its detail
        reason = reason.partition(": ")[2]
    values = {name: fields[name] for name in Outcome.__struct_fields__ if name in fields} | {
        "ending": ending,
        "status": {"true": "solved", "false": "unsatisfiable"}.get(status, "unknown"),
        "count": int(fields["count"]) if "count" in fields else None,
        "stats": msgspec.json.decode(fields.get("stats", "{}")),
        "detail": reason,
    }
    repetition, process = (int(fields.get(name, 1)) for name in ("repetition", "process"))
    spec, call = fields.get("spec", ""), fields.get("call")
    trial = Trial(fields["backend"], *matches[0], question, repetition, spec, call, process)
    return trial, msgspec.convert(values, Outcome, strict=False)


def _field(fields: Fields, name: str, unit: str = "") -> str:
    """The text of a field, or its number if it has a unit."""
    text = fields.get(name, "")
    if not re.fullmatch(rf"\d+(\.\d+)?(e[+-]?\d+)?{unit}" if unit else ".+", text, re.ASCII):
        expected = f"a number with the unit {unit}" if unit else "a text"
        raise InputError(f"the column {name} is {text or 'missing'}", expected=expected)
    return text.removesuffix(unit)
