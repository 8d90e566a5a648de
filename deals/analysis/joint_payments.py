"""Whether a payer can pay all that may fall due of it in one course of the game.

Each payment alone may be affordable and all of them together not. Courses are looked through turn
by turn; histories after which the conditions remember the same are merged, as in `game_tree`.
Cost: histories × joint actions, a few μs each; nothing where the plain sum is affordable.

>>> from shapley_coop.deals.language.clauses import Pay
>>> from shapley_coop.deals.language.deal import Deal, put
>>> from shapley_coop.deals.language.when import Event, Last
>>> from shapley_coop.deals.contract import sign
>>> lever = [Last(last=Event(agent=agent, action="lever")) for agent in ("Alice", "Bob")]
>>> deal = Deal(clauses=[Pay(payer="Alice", payee="Bob", amount=6, when=one) for one in lever])
>>> world = World({"Alice": ("door", "lever"), "Bob": ("door", "lever")}, turns=1)
>>> found = dearest(sign(put(deal, "Alice", 1), 1), "Alice", world)
>>> str(found.owed), found.times, found.words
('12', {'c1': 1, 'c2': 1}, 'Alice does lever and Bob does lever')
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.ability_to_pay import (
    Means,
    at_best,
    at_most,
    paid_by,
    payers,
    received,
)
from shapley_coop.deals.analysis.world import World
from shapley_coop.deals.compiled import (
    Clauses,
    CompiledClause,
    Memories,
    after,
    compiled,
    only_once,
    payments_due,
)
from shapley_coop.deals.contract import Contract, in_force, split_of
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.effects import portions
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import Earned, conditions_in
from shapley_coop.deals.monitor import Monitor
from shapley_coop.games import Game, Position

MOST_STEPS = 20_000
"""Histories × joint actions; where there are more, payments are not looked at together."""

MOST_TOLD = 4
"""Actions that the words of a course name."""

NOTHING = Fraction(0)
Actions = Mapping[str, str]


@dataclass(frozen=True)
class Course:
    """The course of the game in which a payer owes most.

    Attributes:
        owed: what it owes at the end, in the game's unit, less what it is paid by the deal.
        times: clause id → how often that payment of its falls due.
        turns: turn → what is done in it, as far as a condition speaks of that.
        until: the last turn at which one of them falls due.
    """

    owed: Fraction
    times: Mapping[str, int]
    turns: Mapping[int, Actions] = field(default_factory=dict)
    until: int = 0

    @property
    def words(self) -> str:
        """What is done in it, in words."""
        deeds = [(turn, a, x) for turn, acts in self.turns.items() for a, x in acts.items()]
        of_one_turn = len({turn for turn, _, _ in deeds}) == 1 and self.until == 1
        told = [
            f"{agent} does {action}" + ("" if of_one_turn else f" at turn {turn}")
            for turn, agent, action in deeds[:MOST_TOLD]
        ]
        return " and ".join([*told, *(["so on"] if len(deeds) > MOST_TOLD else [])])


class _Past(NamedTuple):
    """What the rest of a course depends on."""

    memory: Memories
    paid: frozenset[str]


class _Path(NamedTuple):
    """One turn of a course, behind the turns before it."""

    before: "_Path | None"
    turn: int
    actions: Actions
    due: tuple[str, ...]


class _Debt(NamedTuple):
    """What is owed after a course; of equal debts the earlier one is the greater."""

    owed: Fraction
    early: int  # minus the last turn at which something fell due
    path: _Path | None

    def exceeds(self, other: "_Debt | None") -> bool:
        return other is None or self[:2] > other[:2]


def unaffordable_together(
    agreed: Contract,
    means: Means,
    world: World,
    can_happen: Callable[[Course], bool] = lambda course: True,
) -> Fault | None:
    """ABLE: in no course of the game does more fall due of a payer than the most it can have.

    Args:
        agreed: what would be in force.
        means: what the agents can have.
        world: what they can do.
        can_happen: whether a course can really be played, where that takes more than actions that
            there are; what is not known to happen is not refused.
    """
    pays = [(pay, clause) for clause in in_force(agreed).values() if (pay := clause.transfer)]
    fixed = [pay for pay, _ in pays if pay.basis != "reward"]
    on_earned = [pay for pay, clause in pays if on_rewards(clause)]
    for payer in payers(fixed, means.most):
        most = at_best(payer, split_of(agreed), means)
        owed = (paid_by(payer, pay, means.most) * at_most(pay, means) for pay in fixed)
        if sum(owed, NOTHING) <= most:
            continue
        if world.stage is None:
            most += received(payer, on_earned, means)
        course = dearest(agreed, payer, world)
        if course and course.owed > most and can_happen(course):
            return Fault("ABLE", _said(course, payer, most))
    return None


def _said(course: Course, payer: str, most: Fraction) -> str:
    often = [cid if n == 1 else f"{cid} ({n} times)" for cid, n in course.times.items()]
    together = "fall due together" if len(often) > 1 else "fall due"
    when = f", if {course.words}" if course.words else ""
    return (
        f"{' and '.join(often)} can {together}{when}: {payer} would owe {plain(course.owed)}, less "
        f"what the deal pays it by then; in the whole game it can have at most {plain(most)}."
    )


def can_be_played(game: Game, position: Position, now: int, course: Course) -> bool:
    """Return whether a course goes by a game's rules from turn `now` on, up to its last payment.

    The dice are others than the game's own, which would tell what is still to come.
    """
    game = game.ahead().on_other_dice(0) if game.rolls_dice else game
    for turn in range(now, course.until + 1):
        if game.over(position):
            return False
        asked, chosen = course.turns.get(turn, {}), dict[str, str]()
        for agent in game.agents:
            legal = game.legal(position, agent)
            if agent in asked and asked[agent] not in legal:
                return False
            if legal:
                chosen[agent] = asked.get(agent, legal[0])
        position = game.step(position, chosen).position
    return True


def dearest(agreed: Contract, payer: str, world: World) -> Course | None:
    """The course in which a payer owes most by a contract's fixed payments, in all of the game.

    A payment that the payer brings about by what it does itself counts once: it can stop. Where
    rewards are not known in advance, payments that depend on them are left out.

    Returns:
        The course; None where there are too many to look through.
    """
    clauses = tuple(
        _as_counted(term, payer, world) for term in compiled(agreed) if _counts(term, payer, world)
    )
    monitor = Monitor(clauses).on(world.record)
    pays = {term.cid: pay for term in clauses if (pay := term.transfer)}
    owed, earlier = NOTHING, Counter[str]()
    for payment in monitor.payments:
        part = portions(payment, world.actions).get(payer, 0)
        owed -= part * payment.amount
        earlier[payment.clause] += part < 0
    found = {_Past(monitor.memories, monitor.paid): _Debt(owed, 0, None)}
    moves, steps = list(_moves(clauses, world)), 0
    for number in range(len(world.record) + 1, world.turns + 1):
        steps += len(found) * len(moves)
        if steps > MOST_STEPS:
            return None
        numbered = [{**move, "turn": number} for move in moves]
        found = _onward(found, clauses, payer, world, numbered)
    worst = max(found.values(), key=lambda debt: debt[:2])
    own = {cid for cid, pay in pays.items() if paid_by(payer, pay, world.actions)}
    return _course(worst, +earlier, own)


def _onward(
    found: Mapping[_Past, _Debt],
    clauses: Clauses,
    payer: str,
    world: World,
    moves: Sequence[Any],
) -> dict[_Past, _Debt]:
    """Return every history after one more turn, with the most that is owed by then."""
    onward: dict[_Past, _Debt] = {}
    for past, debt in found.items():
        for move in moves:
            number = move["turn"]
            memory = after(clauses, past.memory, move)
            due = payments_due(clauses, memory, number, past.paid)
            owed = debt.owed
            for pay in due.values():
                amount = pay.due(move["rewards"].get(pay.payer, NOTHING))
                owed -= portions(pay, world.actions).get(payer, 0) * amount
            path = _Path(debt.path, number, move["actions"], tuple(due))
            owes = _Debt(owed, -number if due else debt.early, path)
            then = _Past(memory, past.paid | only_once(due))
            if owes.exceeds(onward.get(then)):
                onward[then] = owes
    return onward


def _counts(term: CompiledClause, payer: str, world: World) -> bool:
    """Return whether a clause is a payment by the payer, or to it, that can be followed."""
    pay = term.transfer
    if not pay or payer not in portions(pay, world.actions):
        return False
    if pay.basis == "reward" and pay.payer == payer:
        return False  # the reward pays for it
    return world.stage is not None or not on_rewards(term.clause)


def _as_counted(term: CompiledClause, payer: str, world: World) -> CompiledClause:
    """Return a clause, once alone where the payer's own actions bring the payment about."""
    pay = term.transfer
    assert pay, "no other clause is counted"
    own = paid_by(payer, pay, world.actions)
    if own and any(event.agent == payer for event in term.clause.events([*world.actions])):
        return replace(term, transfer=replace(pay, basis="once"))
    return term


def on_rewards(clause: Clause) -> bool:
    """Return whether what a payment comes to depends on what is earned."""
    part = clause.transfer is not None and clause.transfer.basis == "reward"
    return part or any(isinstance(x, Earned) for x in conditions_in(clause.when))


def _moves(clauses: Clauses, world: World) -> Iterator[dict[str, Any]]:
    """Yield every joint action, as far as some payment depends on it."""
    pays = [term.clause for term in clauses if term.transfer]
    if world.stage and any(on_rewards(pay) for pay in pays):
        agents = world.stage.agents
        for play, gains in world.stage.pays.items():
            rewards = dict(zip(agents, gains, strict=True))
            yield {"actions": dict(zip(agents, play, strict=True)), "rewards": rewards}
        return
    named: dict[str, set[str]] = {}
    for event in (event for pay in pays for event in pay.events([*world.actions])):
        named.setdefault(event.agent, set()).add(event.action)
    ways = [_ways(world.actions.get(agent, ()), acts) for agent, acts in named.items()]
    for way in product(*ways):
        done = {agent: act for agent, act in zip(named, way, strict=True) if act is not None}
        yield {"actions": done, "rewards": dict.fromkeys(world.actions, 0)}


def _ways(known: Sequence[str], named: set[str]) -> list[str | None]:
    """Return what an agent can do, as far as it matters; None is anything else."""
    other: list[str | None] = [None] if set(known) - named else []
    return [*other, *(action for action in known if action in named)]


def _course(debt: _Debt, earlier: Mapping[str, int], own: set[str]) -> Course:
    turns: dict[int, Actions] = {}
    times, until, path = Counter(earlier), 0, debt.path
    while path is not None:
        until = max(until, path.turn) if own & set(path.due) else until
        times.update(cid for cid in path.due if cid in own)
        turns[path.turn] = path.actions
        path = path.before
    kept = {turn: turns[turn] for turn in sorted(turns) if turn <= until and turns[turn]}
    return Course(debt.owed, dict(sorted(times.items())), kept, until)
