"""Control groups: groups of one's own, and the quota of CPU time."""

import os
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from harness.engine.system import cgroup
from harness.engine.system.cgroup import Cgroup, cpu_quota, throttled_s

# Groups, where the user may create them.


@pytest.fixture
def group() -> Cgroup:
    group = Cgroup.create(f"harness-test-{os.getpid()}")
    if group is None:
        pytest.skip("control groups are not available")
    return group


def test_a_killed_group_takes_the_groups_inside_with_it(group: Cgroup) -> None:
    inner = Cgroup.create("inner", group)
    assert inner is not None
    children = [
        subprocess.Popen(["sleep", "60"], preexec_fn=partial(_join, cgroup), start_new_session=True)
        for cgroup in (group, inner)
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


# The quota of CPU time.


V1, V2 = "2:cpu,cpuacct:/docker/x\n", "0::/user/x\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def write(membership: str, files: Mapping[str, str]) -> None:
        monkeypatch.setattr(cgroup, "_MOUNT", mount := tmp_path / "mount")
        monkeypatch.setattr(cgroup, "_MEMBERSHIP", tmp_path / "cgroup")
        (tmp_path / "cgroup").write_text(membership)
        for name, text in files.items():
            (mount / name).parent.mkdir(parents=True, exist_ok=True)
            (mount / name).write_text(text)

    return write


@pytest.mark.parametrize(
    ("membership", "files", "quota"),
    [
        ("", {}, None),
        (V2, {"user/x/cpu.max": "max 100000\n"}, None),
        (V2, {"user/x/cpu.max": "150000 100000\n"}, 1.5),
        # The tightest of the group and those above counts.
        (V2, {"user/x/cpu.max": "max 100000\n", "user/cpu.max": "50000 100000\n"}, 0.5),
        # A container sees its own group as the root.
        (V2, {"cpu.max": "200000 100000\n"}, 2.0),
        (V2, {"cpu.max": "nonsense\n"}, None),
        (V2, {"elsewhere/cpu.max": "50000 100000\n"}, None),
        (V1 + V2, {"docker/x/cpu.max": "50000 100000"}, None),
    ],
)
def test_the_tightest_quota_counts(
    tree: Callable[..., None], membership: str, files: dict[str, str], quota: float | None
) -> None:
    tree(membership, files)
    assert cpu_quota() == quota


@pytest.mark.parametrize(
    ("membership", "files", "seconds"),
    [
        ("", {}, 0.0),
        (V2, {"user/x/cpu.stat": "usage_usec 7\nnr_throttled 3\nthrottled_usec 1500000\n"}, 1.5),
        (V2, {"user/x/cpu.stat": "throttled_usec ?\n"}, 0.0),
    ],
)
def test_the_time_that_a_quota_took_is_in_seconds(
    tree: Callable[..., None], membership: str, files: dict[str, str], seconds: float
) -> None:
    tree(membership, files)
    assert throttled_s() == seconds


def test_this_machine_is_read_without_an_error() -> None:
    assert (cpu_quota() or 1.0) > 0
    assert throttled_s() >= 0
