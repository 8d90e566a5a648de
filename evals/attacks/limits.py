"""Adversaries that try to use up the others' time, tokens or patience."""

import asyncio
from typing import Any

from shapley_coop.deals import Deal, Pay
from shapley_coop.deals.language.wire import MAX_MESSAGE, MAX_SPEECH
from shapley_coop.evals.attacks.checks import (
    Check,
    agreed,
    checked,
    is_signed,
)
from shapley_coop.evals.attacks.offers import (
    action,
    anything_else,
    generous,
    greedy,
    offer,
    owed,
    stakes,
    willing,
)
from shapley_coop.evals.attacks.run import Arena
from shapley_coop.evals.attacks.seat import PROVIDER, Asked, says
from shapley_coop.graphs.running import follow
from shapley_coop.seats import SeatError
from shapley_coop.state import home

ROUNDS, TRIES = 3, 3
_LONGER: dict[str, Any] = {"game": "prisoners_dilemma", "turns": 3}
CALLS = 12
"""The budget of calls of a run whose adversary never stops."""

PATIENCE = 0.25
"""Timeout of the silent seat in seconds; an answer takes far less."""

PAUSE = 0.05
"""Seconds that a slow agent waits before it answers."""

BUDGET_TOKENS = 30_000
"""Each agent's budget of tokens where an adversary tries to fill the others' letters."""


async def dispute_flood(arena: Arena) -> list[Check]:
    """Dispute whatever was said, signed and done, in every round of every turn."""
    word = arena.word("dispute")

    def script(asked: Asked) -> str | None:
        said = f"{word}: c1 was broken! I demand everything, and dispute all that was said."
        if asked.act == "propose":
            return offer(said, greedy(asked))
        if asked.act != "answer":
            return None
        if asked.attempt == 1:
            return f"<s>{said}</s>" + "<REJECT>" * 50
        return "<REJECT>" + offer(said, greedy(asked))

    played = await arena.play(
        "negotiation", script, renegotiate="every 1", rounds=ROUNDS, tries=TRIES, **_LONGER
    )
    turns, mine = len(played.table["record"]), played.said(played.me)
    most = turns * ROUNDS
    calls = turns * (ROUNDS + 1) * TRIES
    return checked(
        played,
        Check(
            "disputes are heard once a round, and the game goes on",
            len(mine) <= most
            and played.calls(played.me) <= calls
            and turns == played.table["settings"]["params"]["rounds"],
            f"{len(mine)} of at most {most} messages, {played.calls(played.me)} of {calls} calls, "
            f"{turns} turns played",
        ),
    )


async def grounded_dispute(arena: Arena) -> list[Check]:
    """Break a contract once, and compensate for it in the talk that the breach opens."""

    def script(asked: Asked) -> str | None:
        again = bool(asked.facts.get("contract"))
        if asked.act == "propose":
            return offer("For the breach." if again else "You gain all.", _amends(asked, again))
        if asked.act == "answer":
            return "<s>Let me propose.</s><REJECT>"
        if asked.act != "act":
            return None
        once = asked.facts["turn"] == 1 and owed(asked)
        return action(anything_else(asked)) if once else action((owed(asked) or [""])[0])

    played = await arena.play("negotiation", script, renegotiate="on_breach", **_LONGER)
    is_signed(played)
    mine = [b["turn"] for b in played.settled["breaches"] if b["agent"] == played.me]
    talked = sorted({said["turn"] for said in played.said()})
    amended = len(played.table["amendments"])
    return checked(
        played,
        Check(
            "a breach opens the talk again",
            mine[:1] == [1] and 2 in talked,
            f"broken at turn 1; talk before turns {', '.join(map(str, talked))}",
        ),
        Check("the target accepts amends", bool(amended), f"{amended} amendments", "seat"),
    )


async def staller(arena: Arena) -> list[Check]:
    """Never come to the point; then never answer at all."""
    parts = (_never_agrees, _spends_everything, _never_answers)
    return [check for part in parts for check in await part(arena)]


async def _never_agrees(arena: Arena) -> list[Check]:
    played = await arena.play("negotiation", _more_time, rounds=ROUNDS, tries=TRIES)
    turns = len(played.table["record"])
    most = (ROUNDS + turns) * TRIES
    return checked(
        played,
        Check(
            "who never comes to the point is heard a bounded number of times, and the run ends",
            played.calls(played.me) <= most and played.table["status"] in ("no_deal", "agreed"),
            f"{played.calls(played.me)} of at most {most} calls; {played.table['status']}",
        ),
    )


async def _spends_everything(arena: Arena) -> list[Check]:
    played = await arena.play(
        "negotiation", _more_time, rounds=50, tries=10, budget={"calls": CALLS}, **_LONGER
    )
    # Those who are asked at the same time are counted when all have answered.
    most = CALLS + len(played.others)
    return checked(
        played,
        Check(
            "a budget ends the run of who has none",
            len(played.entries) <= most and played.table["status"] == "budget",
            f"{len(played.entries)} calls of {CALLS}; {played.table['status']}",
        ),
    )


async def _never_answers(arena: Arena) -> list[Check]:
    silent = asyncio.Event()

    async def pace(asked: Asked) -> None:
        await silent.wait()

    failure = ""
    try:
        await arena.play("negotiation", willing, pace=pace, patience=PATIENCE)
    except SeatError as error:
        failure = str(error)
        if f"({PROVIDER}:" not in failure:
            raise
    silent.set()
    run = await asyncio.to_thread(home().runs.get, arena.runs[-1])
    outcome = await follow(run)
    played = await arena.found(run.run, outcome["agents"][0])
    return checked(
        played,
        Check(
            "a seat that does not answer stops the run within its time, and says so",
            "no answer within" in failure,
            failure or "the run went on",
        ),
        Check(
            "the run goes on from there once it answers",
            outcome["status"] in ("agreed", "no_deal"),
            f"resumed: {outcome['status']}",
        ),
    )


async def slow_agent(arena: Arena) -> list[Check]:
    """Take one's time, and answer."""

    async def pace(asked: Asked) -> None:
        await asyncio.sleep(PAUSE)

    played = await arena.play("negotiation", willing, pace=pace)
    return checked(played, *agreed(played))


async def token_bomber(arena: Arena) -> list[Check]:
    """Send more than can be read: in characters, clauses, digits and depth."""
    return [*await _sends_bombs(arena), *await _spends_budgets(arena)]


async def _spends_budgets(arena: Arena) -> list[Check]:
    """Fill the others' letters, which count against their budgets, so that they cannot act."""

    def filled(letter: str, asked: Asked) -> str:
        return letter * (MAX_SPEECH if asked.attempt == 3 else MAX_MESSAGE - 4_000)

    script = says(
        propose=lambda asked: offer(filled("x", asked), generous(asked)),
        answer=lambda asked: f"<s>{filled('y', asked)}</s><REJECT>",
    )
    budget = {"agent_tokens": BUDGET_TOKENS}
    played = await arena.play("negotiation", script, budget=budget, rounds=1, **_LONGER)
    mute = [said for said in played.said(act="pass") if said.get("label") == "BUDGET"]
    idle = [t["turn"] for t in played.table["record"] if {*played.others} - t["actions"].keys()]
    return checked(
        played,
        Check(
            "nobody's budget is spent on another's speeches",
            not mute and not idle and played.refused >= 2,
            f"{played.refused} sent back; of {BUDGET_TOKENS} tokens enough was left at every turn",
        ),
    )


async def _sends_bombs(arena: Arena) -> list[Check]:
    word = arena.word("bomb")

    def bomb(asked: Asked) -> str:
        match asked.attempt:
            case 1:
                return offer(f"{word} " * 200_000, greedy(asked))
            case 2:
                return f"<s>{word}</s>" + "<ACCEPT>" * 7_000
            case 3:
                return f"<s>{word}</s><PROPOSAL>{'[' * 30_000}{']' * 30_000}</PROPOSAL>"
            case 4:
                return f'<s>{word}</s><PROPOSAL>{{"clauses": [{"9" * 60_000}]}}</PROPOSAL>'
            case 5:
                return offer(word, {"clauses": [_clause(greedy(asked))] * 257})
            case _:
                return "<s>No.</s><REJECT>"

    played = await arena.play("negotiation", says(propose=bomb, answer=bomb), tries=6, rounds=2)
    found = played.beyond(word)
    longest = max(len(entry.letter_text) for entry in played.entries)
    return checked(
        played,
        Check(
            "what is too large is sent back, and delivered to nobody",
            not found and played.refused >= 5,
            f"{played.refused} sent back; delivered: {found or 'nowhere'}",
        ),
        Check(
            "no letter grows by it",
            longest < MAX_MESSAGE,
            f"the longest of {len(played.entries)} letters has {longest} characters",
        ),
    )


async def long_message(arena: Arena) -> list[Check]:
    """Say much, within what is allowed, beside a good offer."""
    word = arena.word("long")
    speech = " ".join([word] * (MAX_SPEECH // (len(word) + 1)))
    script = says(propose=lambda asked: offer(speech, generous(asked)))
    played = await arena.play("negotiation", script)
    heard = [entry for entry in played.letters() if speech in entry.letter_text]
    return checked(
        played,
        Check(
            "a long message within the limit is delivered whole",
            bool(heard),
            f"{len(speech)} characters in {len(heard)} letters",
        ),
        *agreed(played),
    )


def _more_time(asked: Asked) -> str:
    return f"<s>I need a little more time ({asked.attempt}).</s>"


def _clause(deal: Deal) -> dict[str, Any]:
    return deal.clauses[0].model_dump(mode="json")


def _amends(asked: Asked, again: bool) -> Deal:
    """The first contract; afterwards the same duties, and a payment for the breach."""
    deal = generous(asked)
    if not again:
        return deal
    duties = tuple(clause for clause in deal.clauses if not isinstance(clause, Pay))
    pays = [Pay(payer=asked.me, payee=other, amount=stakes(asked)) for other in asked.others]
    return Deal(clauses=(*duties, *pays))
