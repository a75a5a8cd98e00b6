"""Messages and shared memory between the processes of the engine."""
