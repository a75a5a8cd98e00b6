"""A job from standard input, its result to standard output: for engines that run commands.

python -m harness.cluster.carry_stdin < JOB > RESULT
"""

import sys

from harness.cluster.carrying import carry_out
from harness.cluster.engine import ShardJob


def main() -> None:
    """Carry out the job."""
    job = ShardJob.decoded(sys.stdin.buffer.read())
    sys.stdout.buffer.write(carry_out(job).encoded())


if __name__ == "__main__":
    main()
