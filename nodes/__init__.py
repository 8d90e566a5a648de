"""The nodes of the workflows. A node reads and updates the table, which is the graph's state.

`table` has nodes that ask no agent. `agent` asks, validates and publishes. `contract` counts
signatures and enforces contracts. A node's verdict is the outcome that the node writes to the
table; the verdict decides which node is next.
"""
