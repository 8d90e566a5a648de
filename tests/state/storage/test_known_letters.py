"""An answered letter is found in the journal."""

from shapley_coop.seats.records import Answer, Asked, Entry, nonce
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

ROOM = RunConfig(game="escape_room", seed=3)


def entry(agent: str) -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", "Choose.", 1, Answer("yes"), nonce())


async def test_what_was_answered_before_or_since_is_found_and_not_asked_again() -> None:
    journal, ann, bob = home().journal, entry("Ann"), entry("Bob")
    asked = [Asked(one.agent, one.letter, 1) for one in (ann, bob)]
    journal.write("e", ann)
    assert journal.found("e", asked) == [ann, None]
    await journal.keep("e", bob)
    assert journal.found("e", asked) == [ann, bob]
    assert journal.found("e", []) == []
