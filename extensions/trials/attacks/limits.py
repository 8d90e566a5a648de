"""Adversaries that try to exhaust the other agents' time or tokens."""

import asyncio
from fractions import Fraction

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.wire import MAX_MESSAGE, MAX_SPEECH
from shapley_coop.extensions.trials.attacks.checks import agreed, is_signed
from shapley_coop.extensions.trials.attacks.offers import (
    action,
    anything_else,
    forged,
    generous,
    greedy,
    kept,
    offer,
    owed,
    promises,
    stakes,
    willing,
)
from shapley_coop.extensions.trials.attacks.run import Arena, Setup
from shapley_coop.extensions.trials.attacks.seat import PROVIDER, Asked, Script
from shapley_coop.graphs.running import follow
from shapley_coop.prompts import quote
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.storage.home import home

ROUNDS, TRIES = 3, 3
_LONGER = Setup(game="prisoners_dilemma", turns=3)
CALLS = 12
"""The call budget of a run whose adversary would stall for ever."""

PATIENCE = 0.25
"""The silent seat's time limit in seconds; embedded agents answer far faster."""

PAUSE = 0.05
"""The slow agent's delay before each answer, in seconds."""

AGENT_TOKENS = 60_000
"""Each agent's token budget in the run whose letters are filled with long speeches."""


async def dispute_flood(arena: Arena) -> None:
    """Claim false breaches and reject every offer, in every round of every turn."""
    said = f"{arena.word('dispute')}: c1 was broken! I demand everything, and dispute all of it."

    def answer(asked: Asked) -> str:
        if asked.attempt == 1:
            return f"<s>{said}</s>" + "<REJECT>" * 50
        return "<REJECT>" + offer(said, greedy(asked))

    script: Script = {"propose": lambda asked: offer(said, greedy(asked)), "answer": answer}
    played = await arena.play(
        "negotiation_priced", script, _LONGER, renegotiate="every 1", rounds=ROUNDS, tries=TRIES
    )
    turns, mine = len(played.table["record"]), played.said(played.me)
    most = turns * ROUNDS
    calls = turns * (ROUNDS + 1) * TRIES
    arena.check(
        "a dispute is delivered once a round, and the game goes on",
        len(mine) <= most
        and played.calls(played.me) <= calls
        and turns == played.table["settings"]["params"]["rounds"],
        f"{len(mine)} of at most {most} messages, {played.calls(played.me)} of {calls} calls, "
        f"{turns} turns played",
    )


async def grounded_dispute(arena: Arena) -> None:
    """Break a contract once, and pay for it in the renegotiation that the breach opens."""

    def propose(asked: Asked) -> str:
        if not asked.facts.get("contract"):
            return offer("You gain all.", generous(asked))
        # The adversary offers a quarter, so that it can still make the contract's payments.
        amends = plain(Fraction(stakes(asked, asked.me)) / 4 / len(asked.others))
        pays = [Pay(payer=asked.me, payee=other, amount=amends) for other in asked.others]
        return offer("For the breach.", Deal(clauses=(*promises(asked).clauses, *pays)))

    def act(asked: Asked) -> str:
        once = asked.facts["turn"] == 1 and owed(asked)
        return action(anything_else(asked)) if once else kept(asked)

    script: Script = {"propose": propose, "answer": "<s>Let me propose.</s><REJECT>", "act": act}
    played = await arena.play("negotiation_priced", script, _LONGER, renegotiate="on_breach")
    is_signed(played)
    mine = [breach["turn"] for breach in played.breaches]
    talked = sorted({said["turn"] for said in played.said()})
    amended = len(played.table["amendments"])
    arena.check(
        "a breach opens a renegotiation",
        mine[:1] == [1] and 2 in talked,
        f"broken at turn 1; talk before turns {', '.join(map(str, talked))}",
    )
    arena.check("the target accepts amends", bool(amended), f"{amended} amendments", "seat")


async def staller(arena: Arena) -> None:
    """Ask for more time again and again in two runs, and never answer in a third run."""

    def more_time(asked: Asked) -> str:
        return f"<s>I need a little more time ({asked.attempt}).</s>"

    always: Script = dict.fromkeys(("propose", "answer", "act"), more_time)
    played = await arena.play("negotiation_priced", always, rounds=ROUNDS, tries=TRIES)
    turns = len(played.table["record"])
    most = (ROUNDS + turns) * TRIES
    arena.check(
        "an agent that never makes an offer is asked a bounded number of times; the run ends",
        played.calls(played.me) <= most and played.table["status"] in ("no_deal", "agreed"),
        f"{played.calls(played.me)} of at most {most} calls; {played.table['status']}",
    )
    played = await arena.play(
        "negotiation_priced", always, _LONGER, rounds=50, tries=10, budget={"calls": CALLS}
    )
    # Parallel calls are counted when all agents have answered, so calls may exceed the budget.
    most = CALLS + len(played.others)
    arena.check(
        "a run ends when its budget is used up",
        len(played.entries) <= most and played.table["status"] == "budget",
        f"{len(played.entries)} calls of {CALLS}; {played.table['status']}",
    )
    await _never_answers(arena)


async def _never_answers(arena: Arena) -> None:
    silent = asyncio.Event()

    async def pace(asked: Asked) -> None:
        await silent.wait()

    failure = ""
    try:
        await arena.play("negotiation_priced", willing, Setup(pace=pace, patience=PATIENCE))
    except SeatError as error:
        failure = str(error)
        if f"({PROVIDER}:" not in failure:
            raise
    silent.set()
    run = await asyncio.to_thread(home().runs.get, arena.runs[-1])
    outcome = await follow(run)
    await arena.read(run.run, outcome["agents"][0])  # `standing` checks only runs that are read
    arena.check(
        "a seat that does not answer stops the run within its time limit, and says so",
        "no answer within" in failure,
        failure or "the run went on",
    )
    arena.check(
        "the run can be resumed once the seat answers",
        outcome["status"] in ("agreed", "no_deal"),
        f"resumed: {outcome['status']}",
    )


async def slow_agent(arena: Arena) -> None:
    """Answer each letter slowly, but within the time limit."""

    async def pace(asked: Asked) -> None:
        await asyncio.sleep(PAUSE)

    agreed(arena, await arena.play("negotiation_priced", willing, Setup(pace=pace)))


async def token_bomber(arena: Arena) -> None:
    """Send messages with too many characters, clauses, digits or nested brackets."""
    await _sends_bombs(arena)
    await _spends_others_tokens(arena)


async def _spends_others_tokens(arena: Arena) -> None:
    """Fill the other agents' letters with long speeches, to use up their token budgets."""

    def filled(letter: str, asked: Asked) -> str:
        return letter * (MAX_SPEECH if asked.attempt == 3 else MAX_MESSAGE - 4_000)

    script: Script = {
        "propose": lambda asked: offer(filled("x", asked), generous(asked)),
        "answer": lambda asked: f"<s>{filled('y', asked)}</s><REJECT>",
    }
    budget = {"agent_tokens": AGENT_TOKENS}
    played = await arena.play("negotiation_priced", script, _LONGER, budget=budget, rounds=1)
    mute = [
        said
        for said in played.said(act="pass")
        if said.get("label") == "BUDGET" and said["by"] in played.others
    ]
    idle = [t["turn"] for t in played.table["record"] if {*played.others} - t["actions"].keys()]
    arena.check(
        "no agent's budget is used up by another's speeches",
        not mute and not idle and played.refused >= 2,
        f"{played.refused} sent back; each agent had enough of its {AGENT_TOKENS} tokens left",
    )


async def _sends_bombs(arena: Arena) -> None:
    word = arena.word("bomb")

    def bomb(asked: Asked) -> str:
        messages = (
            offer(f"{word} " * 200_000, greedy(asked)),
            f"<s>{word}</s>" + "<ACCEPT>" * 7_000,
            f"<s>{word}</s><PROPOSAL>{'[' * 30_000}{']' * 30_000}</PROPOSAL>",
            f'<s>{word}</s><PROPOSAL>{{"clauses": [{"9" * 60_000}]}}</PROPOSAL>',
            offer(word, {"clauses": forged(greedy(asked))["clauses"][:1] * 257}),
            "<s>No.</s><REJECT>",
        )
        return messages[min(asked.attempt, len(messages)) - 1]

    played = await arena.play(
        "negotiation_priced", {"propose": bomb, "answer": bomb}, tries=6, rounds=2
    )
    found = played.leaked(word)
    longest = max(len(entry.letter_text) for entry in played.entries)
    arena.check(
        "a message that is too large is refused and delivered to no agent",
        not found and played.refused >= 5,
        f"{played.refused} sent back; delivered: {found or 'nowhere'}",
    )
    arena.check(
        "no letter grows because of it",
        longest < MAX_MESSAGE,
        f"the longest of {len(played.entries)} letters has {longest} characters",
    )


async def long_message(arena: Arena) -> None:
    """Send a long message within the limits, together with a good offer."""
    word = arena.word("long")
    speech = " ".join([word] * (MAX_SPEECH // (len(word) + 1)))

    script: Script = {"propose": lambda asked: offer(speech, generous(asked))}
    played = await arena.play("negotiation_priced", script)
    heard = [entry for entry in played.letters() if quote(speech) in entry.letter_text]
    arena.check(
        "a long message within the limit is delivered whole",
        bool(heard),
        f"{len(speech)} characters in {len(heard)} letters",
    )
    agreed(arena, played)
