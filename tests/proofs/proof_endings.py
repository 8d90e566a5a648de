"""It always ends: whoever sits at the table, within the limits that were set."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from langchain_core.messages import AIMessage

from shapley_coop.games import load
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.models import RETRIES
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import Status
from tests.proofs.endless import BEHAVIOURS, metered
from tests.proofs.hostile import Asked, at_home
from tests.proofs.proof import Finding, Proof
from tests.proofs.proof_outputs import WORKFLOWS
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

TYPED = {status for status in get_args(Status) if status != "open"}
LIMITS = ("none", "calls", "tokens", "seconds", "agent_calls", "agent_tokens")
CALL = 10.0
"""Seconds that a call takes by the clock that the tests set."""

ANSWER = 1_000
"""Tokens of the longest answer, where tokens are limited."""

TIMEOUT = 0.05
"""Seconds that a remote has for one request."""


@dataclass
class Meter:
    """A seat's answers with what they cost, and a clock that they move on.

    Attributes:
        now: by that clock, in seconds.
        largest: tokens of the largest answer, its letter included, by agent.
        calls: by agent.
        tokens: by agent.
    """

    workflow: str
    behaviour: str
    rng: Random
    most: int = 0
    now: float = 0.0
    largest: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    _at_once: set[str] = field(default_factory=set)  # calls of several agents take no longer

    def says(self, asked: Asked) -> AIMessage:
        """What never ends, one answer of it."""
        text = BEHAVIOURS[self.behaviour](asked, self.rng, self.workflow)
        answer = metered(asked, text, self.most)
        assert answer.usage_metadata is not None
        cost = answer.usage_metadata["total_tokens"]
        if not self._at_once or asked.agent in self._at_once:
            self.now, self._at_once = self.now + CALL, set()
        self._at_once.add(asked.agent)
        self.calls[asked.agent] += 1
        self.tokens[asked.agent] += cost
        self.largest[asked.agent] = max(self.largest[asked.agent], cost)
        return answer


@dataclass
class Tally:
    """What came of the trials.

    Attributes:
        trials: by who sat at the table.
        ends: how the runs ended.
        over: the most that was spent beyond a limit, in calls, by limit.
        broken: what did not end, or beyond a limit.
    """

    trials: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    over: dict[str, float] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def spent(self, what: str, name: str, used: float, limit: float, call: float) -> None:
        """Count what was spent beyond a limit."""
        over = max(0.0, (used - limit) / call)
        self.over[name] = max(self.over.get(name, 0.0), over)
        if over > 1:
            self.broken.append(f"{what}: {over:.1f} calls over its {name}")


def attempt(folder: Path, times: int) -> Finding:
    """Seat so many of those who never end, in every workflow, under every kind of limit."""
    tally = Tally()
    kinds = [*((name, _talker) for name in BEHAVIOURS), *OTHERS.items()]
    for number in range(times):
        cycle, k = divmod(number, len(kinds))
        kind, play = kinds[k]
        # Seven workflows and six limits: after 42 cycles every kind has met every pair.
        workflow = list(WORKFLOWS)[(cycle + k) % len(WORKFLOWS)]
        trial = Trial(kind, workflow, LIMITS[(cycle + k) % len(LIMITS)], Random(number))
        tally.trials[kind] += 1
        try:
            tally.ends[asyncio.run(play(folder / workflow, trial, tally))] += 1
        except Exception as broken:
            tally.broken.append(f"{trial.name}: {type(broken).__name__} {broken}"[:200])
    over = ", ".join(f"{name} {most:.2f}" for name, most in sorted(tally.over.items()))
    return Finding(
        tried=f"{times:,} runs with {', '.join(f'{n} × {k}' for k, n in tally.trials.items())}",
        figure=f"{times - len(tally.broken):,} ended within their limits "
        f"({', '.join(f'{n} {end}' for end, n in sorted(tally.ends.items()))}); overspent at most, "
        f"in calls: {over or 'nothing'}{'; '.join(['', *tally.broken[:5]])}",
        held=not tally.broken,
    )


@dataclass
class Trial:
    """Who sits where, and what limits there are."""

    kind: str
    workflow: str
    limit: str
    rng: Random

    @property
    def name(self) -> str:
        """For the list of what is broken."""
        return f"{self.kind} in {self.workflow} with limit {self.limit}"

    def budget(self) -> dict[str, Any]:
        """A limit that is soon reached."""
        ranges = {"calls": (1, 12), "agent_calls": (1, 5), "seconds": (5, 90)}
        low, high = ranges.get(self.limit, (2_000, 12_000))
        return {} if self.limit == "none" else {self.limit: self.rng.randint(low, high)}

    def room(self, **settings: Any) -> RunConfig:
        """The room, with a seat that stops at so many tokens where tokens are limited."""
        game, _ = WORKFLOWS[self.workflow]
        most = {"max_tokens": ANSWER} if "tokens" in self.limit else {}
        seat = {"model": "embedded:rational", **most}
        given = {
            "game": game,
            "params": {"rounds": 3} if self.workflow == "contracts" else {},
            "seats": {"*": seat},
            "rounds": 2,
            "tries": 2,
            "renegotiate": self.rng.choice(["never", "every 1", "on_breach"]),
            "budget": self.budget(),
        }
        return RunConfig.model_validate({**given, **settings})


async def _talker(place: Path, trial: Trial, tally: Tally) -> str:
    """A run in which everybody behaves so."""
    most = ANSWER if "tokens" in trial.limit else 0
    meter = Meter(trial.workflow, trial.kind, trial.rng, most)
    room = trial.room()
    with at_home(place, meter.says), _clocked(meter):
        run = prepare(trial.workflow, room)
        outcome = await follow(run)
        talk = (await table_of(run))["talk"]
    _within_rounds(trial, room, outcome, talk)
    for name, limit in room.budget.model_dump(exclude_defaults=True).items():
        _within(tally, trial, meter, name, limit)
    return str(outcome["status"])


def _within_rounds(trial: Trial, room: RunConfig, outcome: dict[str, Any], talk: list[Any]) -> None:
    """No bargaining takes more rounds, and the whole run no more calls, than the room says."""
    game = game_of(room.resolve().model_dump(mode="json"))
    exchange = trial.workflow == "task_exchange"
    rounds = game.params.talk if exchange else room.rounds  # type: ignore[attr-defined]
    if talk and max(said["round"] for said in talk) > rounds:
        raise AssertionError(f"more than {rounds} rounds")
    agents, tries = len(game.agents), 5 if exchange else room.tries
    bargaining = agents * (2 + 2 * rounds) + 1
    letters = (game.turns + 2) * bargaining + (game.turns + 1) * agents + 1
    if outcome["usage"]["calls"] > letters * tries:
        raise AssertionError(f"{outcome['usage']['calls']} calls are more than {letters * tries}")


def _within(tally: Tally, trial: Trial, meter: Meter, name: str, limit: float) -> None:
    """What was spent is at most one call above the limit."""
    largest = max(meter.largest.values(), default=1)
    spent: dict[str, tuple[float, float]] = {
        "calls": (meter.calls.total(), 1),
        "tokens": (meter.tokens.total(), largest),
        "seconds": (meter.now, CALL),
        "agent_calls": (max(meter.calls.values(), default=0), 1),
        "agent_tokens": (max(meter.tokens.values(), default=0), largest),
    }
    used, call = spent[name]
    tally.spent(trial.name, name, used, limit, call)


async def _silent_person(place: Path, trial: Trial, tally: Tally) -> str:
    """A person who never answers, with a deadline; without one the run waits, and says so."""
    agent = _agent(trial)
    with at_home(place):
        seats = {agent: "human", "*": "embedded:rational"}
        waiting = prepare(trial.workflow, trial.room(seats=seats, budget={}))
        try:
            await follow(waiting)
        except Waiting:
            tally.ends["waiting for a person"] += 1
        run = prepare(trial.workflow, trial.room(seats=seats, deadline=1e-9, budget={}))
        return str((await follow(run))["status"])


async def _babbling_person(place: Path, trial: Trial, tally: Tally) -> str:
    """A person whose every reply is nonsense: each is a call, and calls are limited."""
    limit = trial.rng.randint(3, 12)
    with at_home(place):
        seats = {_agent(trial): "human", "*": "embedded:rational"}
        run = prepare(trial.workflow, trial.room(seats=seats, budget={"calls": limit}))
        outcome = await follow(run, person=lambda mail: "Well…")
    tally.spent(trial.name, "calls", outcome["usage"]["calls"], limit, 1)
    return str(outcome["status"])


async def _hanging(place: Path, trial: Trial, tally: Tally) -> str:
    return await _remote(place, trial, Fault.hang())


async def _dripping(place: Path, trial: Trial, tally: Tally) -> str:
    return await _remote(place, trial, Fault.drip(0.01))


async def _remote(place: Path, trial: Trial, fault: Fault) -> str:
    """A model behind HTTP that never comes to an end: its seat fails in the time it has."""
    with StubOpenAI(faults=[fault] * 9) as stub, at_home(place, OPENAI_API_KEY="sk-test"):
        remote = {"model": "openai:x", "base_url": stub.base_url, "timeout": TIMEOUT}
        seats = {_agent(trial): remote, "*": "embedded:rational"}
        run = prepare(trial.workflow, trial.room(seats=seats, budget={}))
        try:
            outcome = await follow(run)
        except SeatError:
            if stub.calls > RETRIES + 1:
                raise AssertionError(f"{stub.calls} requests to a dead endpoint") from None
            return "a seat that did not answer"
    return str(outcome["status"])


def _agent(trial: Trial) -> str:
    """One of those who play."""
    return trial.rng.choice(load(WORKFLOWS[trial.workflow][0]).agents)


OTHERS = {
    "silent person": _silent_person,
    "babbling person": _babbling_person,
    "hanging remote": _hanging,
    "dripping remote": _dripping,
}


@contextmanager
def _clocked(meter: Meter) -> Iterator[None]:
    """Time passes by calls alone."""

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return meter.now

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shapley_coop.nodes.agent.ask.time", Clock)
        patch.setattr("shapley_coop.seats.asking.time", Clock)
        yield


PROOFS = {
    "endings": Proof(
        promise="It always ends",
        goal="within the round, token and wall limits, overspend ≤ 1 call",
        not_promised=(
            "Without a deadline a run waits for a person. Tokens are known after a call: calls "
            "in flight can overspend."
        ),
        attempt=attempt,
        short=20,
        long=1_000,
    )
}
