"""One file per verb. A node reads the table and returns a partial update; it names no successor.

`table`: nodes that ask no agent: open, convene, step, account, attribute, summarize, settle, and
those that wait for parallel answers (collect, tally). `agent`: asking, validating and publishing,
in any workflow. `contract`: counting signatures and enforcing. `exchange`: the task exchange alone.
"""
