"""The nodes of the workflows, one file per verb. A node reads the table and returns an update.

`table` has nodes that ask no agent: open, convene, step, account, attribute, summarize, settle,
and the joins after parallel answers (collect, tally). `agent` asks, validates and publishes.
`contract` counts signatures and enforces contracts. `exchange` serves only the task exchange.
"""
