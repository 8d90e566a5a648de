"""A seat for an agent on another machine that speaks A2A (Agent2Agent) 1.0 or 0.3.

    coop run escape_room --agent Bob=a2a:https://bob.example,timeout=600,card_key=bob.pem

Each letter is one message to the agent. The message has a text part, the letter's text for models,
and a data part for programs: the letter's id, the schema of an answer, and the letter's content as
an object. The agent answers with tagged text, as a model does, or with fields: `{"answer": {…}}`.
Needs the extra `a2a`.
"""

from shapley_coop.extensions.a2a.asking.agent import check_address, remote_agent
from shapley_coop.extensions.a2a.asking.options import FOR_TENANTS
from shapley_coop.extras import require_extra
from shapley_coop.seats.provider import Provider

with require_extra("a2a", "a seat at a2a:URL"):
    import a2a  # noqa: F401

PROVIDER = Provider(
    remote_agent, check_address, address=lambda seat: seat.name, for_tenants=FOR_TENANTS
)
