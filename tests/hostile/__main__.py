"""Run all generated hostile backends: ``python -m tests.hostile [TEXT]``.

With a text, only those whose names contain it. Each line is a backend and what it broke.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.hostile.cases import cases
from tests.hostile.ward import breaches


def main() -> None:
    """Run the chosen cases, print what they break."""
    text = sys.argv[1] if len(sys.argv) > 1 else ""
    selection = [case for case in cases() if text in case.name]
    number_contained = 0
    for number, case in enumerate(selection, 1):
        with TemporaryDirectory() as folder:
            faults = breaches(case, Path(folder))
        number_contained += not faults
        print(
            f"{number}/{len(selection)} {case.name}: {'; '.join(faults) or 'contained'}", flush=True
        )
    print(f"{number_contained} of {len(selection)} contained")


if __name__ == "__main__":
    main()
