"""Shards: parts of a sweep that different machines carry out.

A shard is a block of instances with all configurations and all repetitions, so that what is
compared is always measured on one machine.

    numbering    the instances of a sweep, with their numbers in their files
    costs        how long the trials on an instance are expected to take
    division     which instances a shard has
    shard_file   a shard as a sweep file that `harness run` accepts
"""
