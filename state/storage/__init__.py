"""The storage of runs: database, journal, ledger, register, leases, checkpoints."""
