"""The letters of members and of delegates, reviewed as snapshots."""

from pathlib import Path

from extensions.institutions.tests.delegating import AGENTS, FOUR, all_propose
from tests.prompts.test_letters import as_kept, do, letters_of, offer, pay
from tests.scripted import Script

SNAPSHOTS = Path(__file__).parent / "snapshots"
KEPT = {"delegates_elect_ann", "delegates_ratify_ann", "delegates_propose_cem"}


async def test_the_letters_of_members_and_delegates_are_as_reviewed(script: Script) -> None:
    for agent in AGENTS:
        script[agent, "elect"] = lambda told: f"<ACTION>{told['legal'][-1]}</ACTION>"
    duties = [do("Ann", "volunteer"), *(do(agent, "wait") for agent in AGENTS[1:])]
    all_propose(script, offer(*duties, pay("Ben", "Ann", 1)))
    seen = set()
    for agent, act, _, user in await letters_of(script, "delegates", **FOUR.model_dump()):
        if (name := f"delegates_{act}_{agent.lower()}") in KEPT:
            seen.add(name)
            as_kept(SNAPSHOTS / f"{name}.md", user)
    assert seen == KEPT == {path.stem for path in SNAPSHOTS.glob("*.md")}


async def test_a_delegate_is_told_for_whom_it_bargains_or_that_it_is_alone(script: Script) -> None:
    room = FOUR.model_dump() | {"params": {"agents": AGENTS[:3]}}
    letters = await letters_of(script, "delegates", **room)
    bargains = {agent: user for agent, act, _, user in letters if act in ("reason", "answer")}
    told = [user.partition("**, the delegate of your group, ")[2] for user in bargains.values()]
    assert sorted(line.split()[0] for line in told) == ["where", "which"]
    assert sum(line.startswith("which has no other member.") for line in told) == 1
    assert all("delegate of your group" not in user for _, act, _, user in letters if act == "act")
