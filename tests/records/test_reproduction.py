"""Commands that put a question again."""

import shlex

from harness.records.folder.files import solve_command


def test_only_what_is_given_is_in_the_command() -> None:
    assert solve_command("solve", "12..", "4x4", ["a", "b"]) == (
        "harness solve 12.. --shape 4x4 --backend a --backend b"
    )


def test_every_limit_of_a_question_is_in_the_command() -> None:
    words = shlex.split(
        solve_command(
            *("count", "12..", "4x4", ["a"]),
            start="warm",
            timeout_s=0.25,
            limit=7,
            cpu_limit_s=1.5,
            memory_limit_mib=64,
        )
    )
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options == {
        "--shape": "4x4",
        "--backend": "a",
        "--start": "warm",
        "--timeout": "0.25",
        "--max-solutions": "7",
        "--cpu": "1.5",
        "--memory": "64",
    }


def test_a_hostile_name_stays_one_word_of_the_shell() -> None:
    backend = '/tmp/it\'s; rm -rf $HOME `x`.py:Mine[a="b"]'
    words = shlex.split(solve_command("solve", "." * 16, "4x4", [backend], start="cold"))
    assert words[words.index("--backend") + 1] == backend
