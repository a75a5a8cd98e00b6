"""Division of the instances of a sweep into shards that take equally long."""

import random
from collections.abc import Sequence
from heapq import heapify, heapreplace

from harness.experiment.sharding.numbering import NumberedInstance


def divided(
    instances: Sequence[NumberedInstance], seconds: Sequence[float], shards: int, seed: int
) -> list[list[NumberedInstance]]:
    """The instances of each shard, in the order of the sweep; deterministic.

    The longest instance goes to the shard with the least seconds, then the next one (longest
    processing time first: Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on
    Applied Mathematics 17, 1969). Instances of equal time are in random order, so that neighbours
    in a file are in different shards.

    Args:
        instances: the instances of the sweep.
        seconds: the expected time of each, in seconds.
        shards: the number of shards; no more than there are instances are made.
        seed: the random seed of the sweep.
    """
    order = list(range(len(instances)))
    random.Random(f"{seed}:shards").shuffle(order)  # noqa: S311  an order, not a secret
    order.sort(key=lambda at: -seconds[at])
    loads = [(0.0, 0, shard) for shard in range(min(shards, len(instances)))]
    heapify(loads)
    members: list[list[int]] = [[] for _ in loads]
    for at in order:
        load, number, shard = loads[0]
        members[shard].append(at)
        heapreplace(loads, (load + seconds[at], number + 1, shard))
    return [[instances[at] for at in sorted(of)] for of in members]
