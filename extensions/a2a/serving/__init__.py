"""The table as an A2A agent at `/table`, where a foreign agent, the guest, takes a party's seat.

A guest's task is its seat, and its first message takes the seat. While a letter waits, the task is
`INPUT_REQUIRED` with the letter as its status message. The guest answers by a message on the task.
At the end the task is `COMPLETED`, with the artifact `settlement`. Tasks are not stored but
computed from the thread and the journal, which survive a kill.
"""

from shapley_coop.extras import require_extra

with require_extra("a2a", "an A2A server"):
    import a2a  # noqa: F401
    import starlette  # noqa: F401
