"""Makes harness/extensions/images/model.npz, and measures it beside other classifiers.

    python -m training.fonts build/fonts
    python -m training.make build/fonts

The result follows from the seed, the versions of the fonts and those of the packages. With
``--refine`` the training goes on from the present model with fewer samples. With ``--measure`` the
model stays as it is, and the table of classifiers in docs/images.md is made anew.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np

from benchmarks.records import put_record
from harness.extensions.images.classifier import MODEL, probabilities, symbol_probabilities
from harness.extensions.images.classifier import weights as present_weights
from harness.extensions.images.scan import SYMBOLS
from training.backward import Parameters, train
from training.fonts import HELD_OUT, TRAINING, typefaces
from training.rivals import Rival, rivals
from training.samples import Mixture, Samples, samples

SEED: Final = 1
EPOCHS: Final = 5
REFINING: Final = 3
"""Epochs with `--refine`."""
BOARDS: Final = Mixture(digits=1500, handwritten=330, mixed=660, numerals=80, letters=50)
REFINED: Final = Mixture(digits=160, handwritten=100, mixed=400, numerals=16, letters=14)
PRINTED: Final = Mixture(digits=150, handwritten=0, mixed=0, numerals=6, letters=6)
HANDWRITTEN: Final = Mixture(digits=0, handwritten=60, mixed=0, numerals=0, letters=0)
_TIMED: Final = 81


def training_samples(folder: Path, how_many: Mixture = BOARDS) -> Samples:
    """The samples of the model."""
    fonts = typefaces(folder, TRAINING)
    random = np.random.default_rng([SEED, how_many.digits])
    return samples(fonts, how_many, random, held_out=False, digits=folder)


def held_out_samples(folder: Path) -> tuple[Samples, Samples]:
    """Printed and handwritten samples that no classifier was trained with."""
    fonts = typefaces(folder, HELD_OUT)
    return (
        samples(fonts, PRINTED, np.random.default_rng(SEED + 1), held_out=True),
        samples(fonts, HANDWRITTEN, np.random.default_rng(SEED + 2), held_out=True, digits=folder),
    )


def save(weights: Parameters, path: Path) -> None:
    """Write weights with 16 bits each, in the order of their names."""
    arrays = {name: weights[name].astype(np.float16) for name in sorted(weights)}
    np.savez_compressed(path, allow_pickle=False, **arrays)


def row(rival: Rival, printed: Samples, handwritten: Samples) -> str:
    """The row of the table of classifiers."""
    digits = printed.selected(printed.classes < 10)
    begin = process_time()
    rival.scores(printed.patches[:_TIMED])
    time_ms = 1000 * (process_time() - begin)
    return (
        f"| {rival.name} | {_share(rival, digits, 10)} | {_share(rival, handwritten, 10)} "
        f"| {_share(rival, printed, len(SYMBOLS))} | {rival.size_bytes / 1000:,.0f} kB "
        f"| {time_ms:.0f} ms |"
    )


def _share(rival: Rival, samples: Samples, classes: int) -> str:
    scores = rival.scores(samples.patches)[:, :classes]
    return f"{100 * float((scores.argmax(axis=1) == samples.classes).mean()):.2f} %"


def measure(folder: Path) -> None:
    """Print the table of classifiers, and put it into the page."""
    compare(training_samples(folder), held_out_samples(folder))


def compare(trained: Samples, tests: tuple[Samples, Samples]) -> None:
    """Print the table of classifiers for these samples, and put it into the page."""
    own = Rival("convolutional network", symbol_probabilities, MODEL.stat().st_size)
    lines = [
        "| classifier | printed 1-9 | handwritten 1-9 | printed 1-25, A-P | size | CPU, 81 cells |",
        "|---" * 6 + "|",
    ]
    for rival in (*rivals(trained, SEED), own):
        lines.append(row(rival, *tests))
        print(lines[-1], flush=True)
    put_record("image-classifiers", "\n".join(lines))


def main() -> None:
    """Train and save, or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fonts", type=Path, help="the folder of python -m training.fonts")
    parser.add_argument("--measure", action="store_true", help="compare classifiers")
    parser.add_argument("--refine", action="store_true", help="go on from the present model")
    given = parser.parse_args()
    if given.measure:
        measure(given.fonts)
        return
    tests = held_out_samples(given.fonts)

    def report(epoch: int, loss: float, weights: Parameters) -> None:
        shares = [
            float((scores.argmax(axis=1) == test.classes).mean())
            for test in tests
            for scores in (probabilities(weights, test.patches)[:, :-1],)
        ]
        print(f"{epoch}: loss {loss:.4f}, right {shares[0]:.4f} {shares[1]:.4f}", flush=True)

    samples = training_samples(given.fonts, REFINED if given.refine else BOARDS)
    random = np.random.default_rng(SEED)
    start = dict(present_weights()) if given.refine else None
    epochs = REFINING if given.refine else EPOCHS
    save(train(samples, len(SYMBOLS), epochs, random, report, start), MODEL)


if __name__ == "__main__":
    main()
