"""The A2A agent at `/table`: a remote agent, the guest, sends it messages to play a party's seat.

The guest's first message takes the seat and returns an A2A task, which represents the seat. While
a letter waits, the task is `INPUT_REQUIRED` and its status message is the letter. The guest answers
by a message on the task. At the end the task is `COMPLETED`, with the artifact `settlement`. Tasks
are not stored: they are computed from the run's thread and the journal, both on disk.
"""

from shapley_coop.extras import require_extra

with require_extra("a2a", "an A2A server"):
    import a2a  # noqa: F401
    import starlette  # noqa: F401
