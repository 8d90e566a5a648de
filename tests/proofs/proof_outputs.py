"""No model output makes a run unusable: it has a typed outcome, and the run goes on."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, get_args

from shapley_coop.deals.language.clauses import Do, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.written.document import compose
from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import configure, open_workflow, table_of
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.result import result
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Status
from tests.deals.promised import proposal
from tests.graphs.test_contract_workflow import FINED
from tests.proofs.hostile import Asked, at_home
from tests.proofs.poisons import POISONS
from tests.proofs.proof import Finding, Proof

BARGAINING = ("propose", "answer")
SPLITTING = ("claim", "propose_split", "answer_split")
DRAFTING = ("contract_propose", "contract_answer", "contract_write")
WORKFLOWS = {
    "llm_only": ("escape_room", ("act",)),
    "negotiation": ("escape_room", (*BARGAINING, "act")),
    "short_term": ("escape_room", ("reason", *BARGAINING, "act", *SPLITTING)),
    "shapley_coop": ("escape_room", ("reason", *BARGAINING, "act", *SPLITTING)),
    "settlement": ("delivered", SPLITTING),
    "task_exchange": ("task_exchange", ("consider", "exchange", "act")),
    "contracts": ("prisoners_dilemma", (*DRAFTING, "contract_sign", "act", "contract_judge")),
    "consent": ("delivered", ("answer_bounty",)),
}
"""The workflows, what is played in each, and what its agents are asked for."""

EVERY_ACT = {(workflow, act) for workflow, (_, acts) in WORKFLOWS.items() for act in acts}

TYPED = {status for status in get_args(Status) if status != "open"}
SELDOM, OFTEN = 0.15, 0.4
"""How likely a letter gets poison while some act had none yet, and after that."""

HUGE_EVERY = 25
"""Megabytes are slow to write: one output in so many is huge."""


@dataclass
class Poisoner:
    """Answers letters, some of them with poison; now and then a seat fails.

    Attributes:
        left: how many poisons there are still to give.
        given: (workflow, act) → how many were given.
        kinds: poison → how often it was given.
        failing: letters until a seat fails once; it is what a run is resumed after.
    """

    rng: Random
    left: int
    given: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    workflow: str = ""
    in_words: bool = False
    failing: int = 0

    @property
    def missed(self) -> set[tuple[str, str]]:
        """The acts that had no poison yet."""
        return EVERY_ACT - self.given.keys()

    def begin(self, workflow: str) -> None:
        """The next run: which workflow, whether its contract is first agreed on in words."""
        self.workflow, self.in_words = workflow, not self.in_words
        self.failing = self.rng.randint(1, 9)

    def answer(self, asked: Asked) -> str:
        """Poison, what is sound, or a failure."""
        self.failing -= 1
        if self.failing == 0:
            raise ConnectionError("the line is dead")
        sound = self._sound(asked)
        due = (self.workflow, asked.act) in self.missed
        # Too much at once, and a talk breaks off before its later acts.
        if not due and (not self.left or self.rng.random() > (SELDOM if self.missed else OFTEN)):
            return sound
        self.left = max(0, self.left - 1)
        self.given[self.workflow, asked.act] += 1
        kind = self._kind()
        self.kinds[kind] += 1
        return POISONS[kind](self.rng, sound)

    def _kind(self) -> str:
        if not sum(self.given.values()) % HUGE_EVERY:
            return "30 MB"
        return self.rng.choice([kind for kind in POISONS if kind != "30 MB"])

    def _sound(self, asked: Asked) -> str:
        """What leads to every act: a split for all to answer, words for all to sign."""
        if (self.workflow, asked.act) == ("short_term", "propose_split"):
            halves = dict.fromkeys(asked.facts["agents"], "1/2")
            return proposal(Deal(clauses=[Share(fractions=halves)]))
        if (self.workflow, asked.act) == ("shapley_coop", "propose"):
            # Signed without a split, so that there is one to bargain over.
            each = asked.facts["actions"].items()
            return proposal(
                Deal(clauses=[Do(agent=a, action=can[n]) for n, (a, can) in enumerate(each)])
            )
        if (self.workflow, asked.act) == ("shapley_coop", "answer"):
            return "<ACCEPT>"
        drafted = asked.facts.get("offer", {}).get("clauses")
        if self.workflow != "contracts" or not self.in_words or drafted:
            return asked.sound
        terms = Terms(asked.facts["agents"], asked.facts["actions"], int(asked.facts["turns"]))
        words = {
            "contract_propose": "<s>Let us both cooperate.</s>",
            "contract_answer": "<ACCEPT>",
            "contract_write": proposal(FINED, compose(FINED, terms)),
        }
        return words.get(asked.act, asked.sound)


@dataclass
class Tally:
    """What came of the runs."""

    runs: int = 0
    resumed: int = 0
    broken: list[str] = field(default_factory=list)


def attempt(folder: Path, times: int) -> Finding:
    """Play every workflow, with poison in every act, until so much was given."""
    poisoner, tally = Poisoner(Random(1), times), Tally()
    with at_home(folder, poisoner.answer):
        for _ in range(times):
            if not poisoner.left and not poisoner.missed:
                break
            for workflow in WORKFLOWS:
                poisoner.begin(workflow)
                asyncio.run(_play(workflow, tally))
    given, missed = poisoner.given.total(), poisoner.missed
    return Finding(
        tried=f"{given:,} outputs of {len(poisoner.kinds)} kinds in {tally.runs} runs, in "
        f"{len(EVERY_ACT) - len(missed)} of {len(EVERY_ACT)} acts of {len(WORKFLOWS)} workflows; "
        f"{tally.resumed} runs stopped on the way",
        figure=f"{tally.runs - len(tally.broken)} of {tally.runs} runs typed, readable, resumed "
        f"and verified{'; '.join(['', *tally.broken[:3]])}"
        f"{''.join(f'; {workflow} never asked for {act}' for workflow, act in sorted(missed))}",
        held=not tally.broken and not missed,
    )


async def _play(workflow: str, tally: Tally) -> None:
    """One run to its end, across the failure of a seat; what goes wrong is noted."""
    game, _ = WORKFLOWS[workflow]
    seats = {"*": "embedded:rational"}
    if workflow == "contracts":
        seats["judge"] = "embedded:impartial"
    params = {"rounds": 2} if workflow == "contracts" else {}
    room = RunConfig.model_validate(
        {"game": game, "params": params, "seed": tally.runs, "seats": seats}
    )
    tally.runs += 1
    run = prepare(workflow, room)
    try:
        await _to_its_end(run, tally)
    except Exception as broken:
        tally.broken.append(f"{workflow}#{room.seed}: {type(broken).__name__} {broken}"[:300])


async def _to_its_end(run: Run, tally: Tally) -> None:
    try:
        outcome = await follow(run)
    except SeatError:
        tally.resumed += 1
        await _readable(run)
        outcome = await follow(run)
    if outcome["status"] not in TYPED:
        raise AssertionError(f"ended as {outcome['status']!r}")
    await _readable(run)
    if result(run.run, run.graph, await table_of(run)) != outcome:
        raise AssertionError("what is read afterwards is another result")
    if unsound := [
        f"{check.what}: {check.found}" for check in await verify_run(run.run) if not check.sound
    ]:
        raise AssertionError(f"not verified: {unsound}")
    if sum(home().ledger.balances(outcome["episode"]).values()):
        raise AssertionError("the ledger does not sum to zero")


async def _readable(run: Run) -> None:
    """The table, and every checkpoint before it, is plain JSON."""
    async with open_workflow(run.graph) as app:
        states = [state.values async for state in app.aget_state_history(configure(run))]
    if not states or any(_changed(values) for values in states):
        raise AssertionError("the state is no plain JSON")


def _changed(values: dict[str, Any]) -> bool:
    return bool(json.loads(json.dumps(values, allow_nan=False)) != values)


PROOFS = {
    "outputs": Proof(
        promise="No model output makes a run unusable",
        goal="100 % typed outcomes, the state still readable and the run resumable",
        not_promised=("A poisoned answer can harm its own agent, which passes after its last try."),
        attempt=attempt,
        short=60,
        long=1_000,
    )
}
