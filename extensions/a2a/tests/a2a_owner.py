"""One owner's machine: its home, its key, its policy, and its agent, which speaks A2A.

    python -m extensions.a2a.tests.a2a_owner KEY LEAST

The agent is that of `chat_agent`. Before what it accepts leaves the machine, the owner's policy
looks at what the deal would pay if all keep it; if that is enough, the owner's key signs it, and
otherwise it is rejected. The address is printed; the end of standard input ends it.
"""

import json
import sys
from typing import Any

from a2a.helpers import new_text_part
from a2a.server.tasks import TaskUpdater

from extensions.a2a.tests.a2a_agents import Heard, a2a_agent
from extensions.a2a.tests.chat_agent import graph
from shapley_coop.extensions.proof.acceptance import element, sign_binding
from shapley_coop.extensions.proof.home_keys import key_of


def pays(facts: dict[str, Any]) -> float:
    """What the offer that stands pays this agent if all keep it; nothing where that is not told."""
    rows = facts["offer"].get("outlook", {}).get("rows", [])
    return float(rows[0]["payoffs"][facts["you"]]["mean"]) if rows else 0.0


def main(name: str, least: float) -> None:
    """Serve until nobody listens any more."""

    async def by_policy(heard: Heard, updater: TaskUpdater) -> None:
        state = await graph.ainvoke({"messages": [("human", heard.words)]})
        said = str(state["messages"][-1].text)
        facts = json.loads(heard.letter["facts_json"])
        if "<ACCEPT>" in said and "to_sign" in facts:
            if pays(facts) >= least:
                said += element(sign_binding(key_of(name), facts["to_sign"]))
            else:
                said = "<s>Not for that.</s><REJECT>"
        await updater.add_artifact([new_text_part(said)])
        await updater.complete()

    with a2a_agent(by_policy) as agent:
        print(agent.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
