"""Sweeps on several machines.

The coordinator hands shards to an engine, which carries them out somewhere, and merges what comes
back. A shard is carried out by the harness itself, in a process and a folder of its own.

    job            a shard with all the files that a machine needs, and what comes back
    packing        makes the job of a shard
    carrying       carries out a job on the machine that it is sent to
    shard_process  the process that runs the trials
    engine         what an engine provides
    coordinator    hands out shards and merges what comes back, each shard once
"""
