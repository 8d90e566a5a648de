"""Where runs are kept: engine, journal, ledger, register, leases, checkpoints, secrets."""
