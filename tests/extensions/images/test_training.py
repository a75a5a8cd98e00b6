"""The model, and what makes it."""

import numpy as np
import pytest

from harness.extensions.images.classifier import (
    MODEL,
    activate,
    inputs,
    probabilities,
    scores,
    symbol_probabilities,
    weights,
)
from harness.extensions.images.scan import SYMBOLS
from training import backward
from training.fonts import HELD_OUT, TRAINING
from training.handwriting import indices
from training.samples import Mixture, Samples, samples


def some_samples(classes: int = 5) -> Samples:
    """Stripes, whose direction and distance are the class."""
    random = np.random.default_rng(0)
    numbers = random.integers(0, classes, 200)
    patches = random.integers(0, 60, (200, 28, 28))
    for patch, number in zip(patches, numbers, strict=True):
        (patch if number % 2 else patch.T)[:: 3 + number] += 180
    return Samples(patches.astype(np.uint8), numbers, numbers % 2)


def test_the_model_is_small_and_knows_every_symbol() -> None:
    assert MODEL.stat().st_size < 2_000_000
    assert weights()["full2"].shape[1] - 1 == len(SYMBOLS) == 42
    assert symbol_probabilities(np.zeros((0, 28, 28), dtype=np.uint8)).shape == (0, 43)


@pytest.mark.long
def test_the_gradients_are_those_of_the_loss() -> None:
    batch = some_samples()
    values, classes = inputs(batch.patches[:20]), batch.classes[:20]
    hands = batch.handwritten[:20]
    weights = backward.initial(5, np.random.default_rng(1))

    def loss() -> float:  # with the same neurons dropped each time
        return backward.gradients(weights, values, classes, hands, np.random.default_rng(2))[0]

    _, gradients = backward.gradients(weights, values, classes, hands, np.random.default_rng(2))
    for name, gradient in gradients.items():
        at = np.unravel_index(int(np.abs(gradient).argmax()), gradient.shape)
        step = np.float32(2e-3)
        weights[name][at] += step
        above = loss()
        weights[name][at] -= 2 * step
        below = loss()
        weights[name][at] += step
        slope = (above - below) / (2 * float(step))
        assert slope == pytest.approx(float(gradient[at]), rel=0.08), name


@pytest.mark.long
def test_training_learns() -> None:
    batch = some_samples()
    losses: list[float] = []
    weights = backward.train(
        batch, 5, 80, np.random.default_rng(3), lambda _, loss, __: losses.append(loss)
    )
    assert losses[-1] < 0.2 * losses[0]
    shares = probabilities(weights, batch.patches)
    assert np.allclose(shares, activate(scores(weights, inputs(batch.patches))), atol=1e-5)
    assert np.allclose(shares[:, :-1].sum(axis=1), 1, atol=1e-5)
    assert (shares[:, :-1].argmax(axis=1) == batch.classes).mean() > 0.9
    assert ((shares[:, -1] > 0.5) == batch.handwritten).mean() > 0.9


@pytest.mark.long
def test_training_follows_from_its_seed() -> None:
    first, second, other = (
        backward.train(some_samples(), 5, 1, np.random.default_rng(seed), lambda *_: None)
        for seed in (3, 3, 4)
    )
    assert all((first[name] == second[name]).all() for name in first)
    assert (first["full2"] != other["full2"]).any()


@pytest.mark.long
def test_what_is_held_out_is_never_trained_with() -> None:
    assert not set(TRAINING) & set(HELD_OUT)
    of_training, of_tests = indices(held_out=False), indices(held_out=True)
    every = [index for part in (*of_training.values(), *of_tests.values()) for index in part]
    assert sorted(every) == list(range(1797))
    assert sum(map(len, of_tests.values())) == 449


@pytest.mark.long
def test_samples_are_inks_of_cells_with_their_symbols() -> None:
    mixture = Mixture(digits=0, handwritten=2, mixed=0, numerals=0, letters=0)
    examples = samples([], mixture, np.random.default_rng(4), held_out=True)
    assert examples.patches.shape == (len(examples.classes), 28, 28)
    assert set(examples.classes) <= set(range(10))
    right = symbol_probabilities(examples.patches)[:, :10].argmax(axis=1) == examples.classes
    assert right.mean() > 0.9
