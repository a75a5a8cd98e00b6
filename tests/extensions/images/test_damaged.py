"""Damaged images are read or refused."""

from contextlib import suppress

import pytest

from benchmarks.damaged import DAMAGES, damaged_file, outcomes
from harness.base.errors import InputError
from harness.extensions.images.scanning import scan
from tests.extensions.images.drawn import count


def test_a_image_of_each_damage_is_read_or_refused() -> None:
    for number in range(0, len(DAMAGES), 4):
        with suppress(InputError):
            scan(damaged_file(number).data)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_damaged_image_crashes_or_hangs_the_process_that_reads_it() -> None:
    numbers = outcomes(range(300), 2, count, seed=1)
    assert set(numbers) == set(DAMAGES)
    assert not any(outcome.broken for outcome in numbers.values())
    assert sum(outcome.refused for outcome in numbers.values()) > 60
