"""The certificates of a run, a file for each puzzle in its folder."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from harness.contract.spec import BackendSpec
from harness.errors import InputError, unwritable
from harness.experiment.certification import Certification, Certifiers, default_provers
from harness.proofs.certificate import read_certificates, write_certificates
from harness.proofs.opinion import SecondOpinion
from harness.proofs.verify import verify
from harness.puzzles.puzzle import Puzzle
from harness.records.run_files import refuse_special_file

FOLDER: Final = "certificates"
"""The folder of the certificates in the folder of a run."""
SUFFIX: Final = ".cert.gz"


class RunCertificates:
    """The certificates of a run, made where they are missing; use it as a context manager.

    Args:
        run: the folder of the run.
        provers: the backends that prove, the preferred one first; empty for the default ones.
        timeout_s: limit of wall time for each proof, in seconds.
        memory_mib: limit of memory of a prover in MiB; 0 for no limit.
        notice: receives a line before a backend prepares for seconds.

    Raises:
        InputError: the folder cannot be made, or is not a folder.
    """

    def __init__(
        self,
        run: Path,
        provers: Sequence[BackendSpec] = (),
        *,
        timeout_s: float,
        memory_mib: int = 0,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.folder = run / FOLDER
        self._provers = provers
        if self.folder.is_symlink():
            raise InputError("is a symbolic link", where=str(self.folder), expected="a folder")
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None
        self._certifiers = Certifiers(timeout_s=timeout_s, memory_mib=memory_mib, notice=notice)

    def __enter__(self) -> "RunCertificates":
        return self

    def __exit__(self, *error: object) -> None:
        self._certifiers.__exit__(*error)

    def certify(self, puzzle: Puzzle, numbers: Sequence[int]) -> Certification:
        """The certification of a puzzle for which answers state these `numbers` of solutions.

        A certificate that the run has already is verified again and kept; it is not if it is
        damaged, or leaves open which of the numbers is right.

        Raises:
            HarnessError: no prover is available, or the certificate cannot be written.
        """
        limit = max(numbers) + 1
        path = self.folder / f"{puzzle.id}{SUFFIX}"
        refuse_special_file(path)
        if kept := _kept(path, puzzle, limit):
            return kept
        provers = self._provers or default_provers(limit)
        found = self._certifiers.certify(puzzle, limit, provers)
        if found.certificate is not None:
            write_certificates(path, [found.certificate])
        return found


def _kept(path: Path, puzzle: Puzzle, limit: int) -> Certification | None:
    """The certification by an earlier certificate; None if there is none of use."""
    if not path.exists():
        return None
    try:
        (certificate,) = read_certificates(path)
    except ValueError:  # damaged, or several: it is made again
        return None
    if certificate.puzzle != puzzle:
        return None
    verified = verify(certificate, SecondOpinion.NONE)
    decides = certificate.claim.is_exact or certificate.claim.number >= limit
    return Certification(certificate, verified) if verified.proven and decides else None
