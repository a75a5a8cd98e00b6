"""Provers: backends that write proofs, each in a process of its own under limits.

    messages    what harness and process exchange
    process     the process: a guard, a monitor and its worker
    prover      the harness's side

Nothing that a prover writes is believed: `harness.experiment.certification` has it verified.
"""
