"""The nodes of the workflows, one file per verb. A node reads and updates the table (the state).

`table` has nodes that ask no agent. `agent` asks, validates and publishes. `contract` counts
signatures and enforces contracts. `exchange` serves only the task exchange. A node's verdict is
the outcome that the node writes to the table; the verdict decides which node is next.
"""
