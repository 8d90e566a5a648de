"""Where runs are kept: database, journal, ledger, register, leases, checkpoints."""
