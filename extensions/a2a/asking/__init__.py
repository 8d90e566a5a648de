"""A seat whose agent is on another machine and speaks A2A: Agent2Agent, 1.0 or 0.3.

    coop run escape_room --agent Bob=a2a:https://bob.example,timeout=600,card_key=bob.pem

The agent is asked letter by letter. A message has the letter's words as its one text part, for
models, and one data part for programs: which letter it is, the schema of an answer, and what
the words say as an object. The answer may be words in tags, as any model's, or fields:
`{"answer": {…}}`. Needs the extra `a2a`.
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
