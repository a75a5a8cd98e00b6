"""Control groups, where the user may create them."""

import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from harness.engine.system import cgroup
from harness.engine.system.cgroup import Cgroup


@pytest.fixture
def group() -> Cgroup:
    created = Cgroup.create(f"harness-test-{os.getpid()}")
    if created is None:
        pytest.skip("control groups are not available")
    return created


def test_a_killed_group_takes_the_groups_inside_with_it(group: Cgroup) -> None:
    inner = Cgroup.create("inner", group)
    assert inner is not None
    children = [
        subprocess.Popen(["sleep", "60"], preexec_fn=partial(_join, joined), start_new_session=True)
        for joined in (group, inner)
    ]
    group.kill()
    assert [child.wait(5) for child in children] == [-9, -9]
    group.remove()
    assert not group.folder.exists()
    assert cgroup.is_available()


def _join(group: Cgroup) -> None:
    assert group.join()


def test_no_group_is_created_twice(group: Cgroup) -> None:
    assert Cgroup.create(group.folder.name) is None
    group.remove()


def test_a_folder_that_is_no_group_is_none(tmp_path: Path) -> None:
    assert Cgroup.create("name", Cgroup(tmp_path)) is None
    assert Cgroup.create("name", Cgroup(tmp_path / "missing")) is None
    assert not Cgroup(tmp_path).join()
    Cgroup(tmp_path / "missing").kill()
    Cgroup(tmp_path / "missing").remove()
    assert list(tmp_path.iterdir()) == []
