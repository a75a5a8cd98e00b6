"""What every room uses: errors, texts, files, child processes, interruption and entry points."""
