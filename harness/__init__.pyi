from harness.analysis import Run as Run
from harness.analysis import load as load
from harness.api import run as run
from harness.base.errors import BackendUnavailableError as BackendUnavailableError
from harness.base.errors import HarnessError as HarnessError
from harness.base.errors import InputError as InputError
from harness.base.errors import OptionError as OptionError
from harness.base.errors import PuzzleError as PuzzleError
from harness.base.errors import RunError as RunError
from harness.base.errors import StorageError as StorageError
from harness.base.errors import StoreDamagedError as StoreDamagedError
from harness.base.errors import UnknownBackendError as UnknownBackendError
from harness.puzzles import Dataset as Dataset
from harness.puzzles import Puzzle as Puzzle
from harness.puzzles import Shape as Shape
from harness.puzzles import load_dataset as load_dataset
from harness.puzzles import parse_puzzle as parse_puzzle
from harness.records import Question as Question
from harness.records import Start as Start
from harness.records import Task as Task
from harness.records import Verdict as Verdict
from harness.report import Reply as Reply
from harness.runs import Sweep as Sweep
from harness.session import Session as Session
from harness.session import count as count
from harness.session import solve as solve

__all__: list[str]
