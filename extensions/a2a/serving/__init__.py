"""The table as an A2A agent, at `/table`: an agent of somebody else takes a party's seat.

A guest's task is its seat. Its first message sits down; every letter is the task in the state
`INPUT_REQUIRED`, with the letter as the status message; every answer is a message on the task; at
the end the task is `COMPLETED`, with the artifact `settlement`. Nothing of a task is stored: it is
computed from the thread and the journal, which survive whatever is killed.
"""

from shapley_coop.extras import require_extra

with require_extra("a2a", "an A2A server"):
    import a2a  # noqa: F401
    import starlette  # noqa: F401
