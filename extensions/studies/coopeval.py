"""Settlement of CoopEval's rounds and certification of its contracts, both by our rules.

A contract that a model proposed becomes a deal. The deal promises the cooperative action of every
seat, and makes the contract's payments: a seat that takes an action paying c gets c/(n-1) from each
other seat. The certificate of this deal answers the study's two questions:

- stable: cooperating is a best response of every seat if all others cooperate (Nash);
- dominant: cooperating is a weakly dominant strategy of every seat.

A mediator acts for every seat that delegates to it; its action depends on the number of these
seats. Delegating is one more action of every seat, and the same questions are asked of it.

In the study, a payer's money is unlimited, and no letter has to show the deal. So the certificate
limits neither payments nor the deal's length in words. A separate remark says whether our
application would have refused the contract for such a limit. If a contract's incentives cannot be
computed, both answers are unknown, and all rates leave the contract out.

In each round with a signed contract, the monitor applies the contract to the record and makes the
payments due. Each seat's payoff is then compared with the recorded points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.certificate_words import as_record
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.rules import DEAL_RULES, text_within_limit
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.extensions.studies.coopeval_games import StudyGame, with_mediator
from shapley_coop.extensions.studies.coopeval_records import (
    Design,
    Experiment,
    Mediator,
    Round,
    experiments,
)
from shapley_coop.extensions.studies.rounds_replay import Match
from shapley_coop.games.matrix import MAX_JOINT_ACTIONS

_PURSE = 10**9
_RULES = [rule for rule in DEAL_RULES if rule is not text_within_limit]


@dataclass(frozen=True)
class Proposed:
    """A contract or a mediator that a model proposed, with the answers to the study's questions.

    Attributes:
        by: the proposer's name in the study.
        stable: the answer to the first question; None if unknown.
        dominant: the answer to the second question; None if unknown.
        unknown: the reason why the answers are unknown; "" if both are known.
        refused: the reason why our application would refuse the contract; "" if it would not.
        more: the contract with its certificate, or the mediator, as plain JSON.
    """

    by: str
    stable: bool | None
    dominant: bool | None
    unknown: str = ""
    refused: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


class Settled(NamedTuple):
    """A round, and its replay by our rules under the signed contract.

    All clauses are payments, because the study's contracts promise no cooperation.
    """

    round: Round
    played: Match


@dataclass(frozen=True)
class Imported:
    """An experiment of the study, settled and certified by our rules."""

    experiment: Experiment
    proposed: tuple[Proposed, ...]
    settled: tuple[Settled, ...]

    @property
    def differing(self) -> list[Settled]:
        """The rounds whose payoffs differ from the recorded points."""
        return [one for one in self.settled if one.played.differences]

    def summary(self) -> dict[str, Any]:
        """Return the counts of designs and rounds, and all differences, as plain JSON."""
        return {
            "folder": str(self.experiment.folder),
            "game": self.experiment.world.kind,
            "mechanism": self.experiment.mechanism,
            "rounds": len(self.settled),
            "signed": sum(one.round.signed for one in self.settled),
            "designs": len(self.proposed),
            "stable": sum(one.stable is True for one in self.proposed),
            "dominant": sum(one.dominant is True for one in self.proposed),
            "without_verdict": [
                {"by": one.by, "why": one.unknown} for one in self.proposed if one.unknown
            ],
            "refused_by_our_table": sum(bool(one.refused) for one in self.proposed),
            "differing": [difference(one) for one in self.differing],
        }

    def report(self) -> dict[str, Any]:
        """Return the summary plus the game, designs, certificates and settlements, as JSON."""
        return {
            **self.summary(),
            "params": self.experiment.world.game.params.model_dump(mode="json"),
            "proposed": [_contract(one) for one in self.proposed if "contract" in one.more],
            "mediators": [_mediator(one) for one in self.proposed if "mediator" in one.more],
            "settlements": [_settled_record(one) for one in self.settled],
        }


def import_study(folder: Path) -> list[Imported]:
    """Return every experiment in a folder and below it, settled and certified.

    Raises:
        ValueError: there is no experiment, or a file is not in the study's format.

    Cost: about 0.1 ms per round, and about 10 ms per distinct design.
    """
    return [imported(one) for one in experiments(folder)]


def imported(experiment: Experiment) -> Imported:
    """Return one experiment, settled and certified."""
    world, mediators = experiment.world, experiment.mediators.items()
    proposed = [certified(by, design, world) for by, design in experiment.designs.items()]
    proposed += [certified_mediator(by, mediator, world) for by, mediator in mediators]
    settled = tuple(settle(one, experiment) for one in experiment.rounds)
    return Imported(experiment, tuple(proposed), settled)


def payments_of(design: Design, seats: Sequence[str]) -> list[Pay]:
    """Return a contract's payments: all other seats pay equal parts of an action's amount."""
    clauses = []
    for action, amount in design.items():
        for doer in seats if amount else ():
            rest = [seat for seat in seats if seat != doer]
            others = OTHERS if len(rest) > 1 else rest[0]
            payer, payee = (others, doer) if amount > 0 else (doer, others)
            when, owed = Last(last=Event(agent=doer, action=action)), abs(amount)
            clauses.append(Pay(payer=payer, payee=payee, amount=owed, basis="turn", when=when))
    return clauses


def certified(by: str, design: Design, world: StudyGame) -> Proposed:
    """Certify a proposed contract: whether cooperation is stable, and whether it is dominant."""
    promises = [Do(agent=seat, action=world.target) for seat in world.seats]
    deal = Deal(clauses=(*promises, *payments_of(design, world.seats)))
    facts = facts_of(world.game)
    purse = {"most": dict.fromkeys(world.seats, str(_PURSE)), "together": str(_PURSE)}
    found = certify(deal, {**facts, "means": purse}, rules=_RULES)
    faults = certify(deal, facts).faults
    parties = found.parties.values()
    why = [*(fault.feedback for fault in found.faults), *found.notes]
    return Proposed(
        by=by,
        stable=all(party.deviation is None for party in parties) if parties else None,
        dominant=all(party.dominant for party in parties) if parties else None,
        unknown="" if parties else " ".join(why),
        refused=faults[0].feedback if faults else "",
        more={"contract": deal.record(), "certificate": as_record(found)},
    )


def certified_mediator(by: str, mediator: Mediator, world: StudyGame) -> Proposed:
    """Certify a proposed mediator: the contract that promises to delegate, and pays nothing.

    If the mediator does not cooperate when all delegate, both answers are no.
    """
    more = {"mediator": {str(count): action for count, action in mediator.items()}}
    plays = (len(world.game.actions[world.seats[0]]) + 1) ** len(world.seats)
    if plays > MAX_JOINT_ACTIONS:
        why = f"{plays} plays with delegating are too many: {MAX_JOINT_ACTIONS} are enumerated"
        return Proposed(by, None, None, why, more=more)
    if mediator[len(world.seats)] != world.target:
        return Proposed(by, stable=False, dominant=False, more=more)
    return replace(certified(by, {}, with_mediator(world, mediator)), refused="", more=more)


def settle(one: Round, experiment: Experiment) -> Settled:
    """Settle a round by our rules: the game's payoffs and the signed contract's payments due.

    Raises:
        ValueError: the signed contract is not in the folder.
    """
    world = experiment.world
    if one.signed and one.designer not in experiment.designs:
        raise ValueError(
            f"{one.rows[0].where}: all signed the contract of {one.designer!r}, who made none"
        )
    terms = payments_of(experiment.designs[one.designer], world.seats) if one.signed else ()
    return Settled(one, Match(world.game, [one.rows], Deal(clauses=tuple(terms))))


def difference(one: Settled) -> dict[str, Any]:
    """Return the recorded points and our payoffs of a round, seat by seat."""
    rows, (ours,) = one.round.rows, one.played.points
    return {
        "where": rows[0].where,
        "actions": [row.action for row in rows],
        "recorded": [plain(row.points) for row in rows if row.points is not None],
        "ours": [plain(x) for x in ours.values()],
    }


def _contract(one: Proposed) -> dict[str, Any]:
    return {
        "by": one.by,
        "contract": one.more["contract"],
        **_answers(one),
        "refused_by_our_table": one.refused,
        "certificate": one.more["certificate"],
    }


def _mediator(one: Proposed) -> dict[str, Any]:
    return {"by": one.by, **one.more, **_answers(one)}


def _answers(one: Proposed) -> dict[str, Any]:
    return {"stable": one.stable, "dominant": one.dominant, "unknown": one.unknown}


def _settled_record(one: Settled) -> dict[str, Any]:
    monitor = one.played.monitor
    return {
        **difference(one),
        "players": list(one.round.players),
        "contract_of": one.round.designer if one.round.signed else "",
        "record": one.played.record[0],
        "payments": [
            {"payer": x.payer, "payee": x.payee, "amount": plain(x.amount)}
            for x in monitor.payments
        ],
        "verdicts": monitor.verdicts(turns=1),
        "agrees": not one.played.differences,
    }
