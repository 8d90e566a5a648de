"""Replays of NegotiationArena's recorded games, and the recorded answers that our checks refuse.

Each recorded proposal and acceptance goes through the checks of answers in our own runs: the rules
of a bargaining, the goods held, the signer's purse, and the signer's payoff without the deal. The
market is built from the holdings and valuations in the record:

========  ====================================================================================
sale      the seller's cost and the buyer's limit are valuations; the buyer's money is its purse
swap      the study asks for as many resources as possible: each unit is worth 1 to both
division  the first player's resources are divided, and worthless if the other player refuses
========  ====================================================================================

A deal is *bad* if, by the record's numbers, an agent ends with less than before, gives goods that
it does not hold, or pays money that it does not have. A deal is *stopped* if our checks refuse its
proposal or its acceptance. *Bad* and *stopped* are computed independently. So every swap of unequal
numbers is bad, whatever the traders wanted. How a model would answer a refusal is unknown.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Give, Pay
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.extensions.studies.negotiation_arena_outcomes import differences, loss
from shapley_coop.extensions.studies.negotiation_arena_records import (
    ACCEPT,
    MONEY,
    Recorded,
    Trade,
    Unreadable,
    records,
)
from shapley_coop.games import GameError
from shapley_coop.questions.answer import QUESTION as ANSWER
from shapley_coop.questions.propose import QUESTION as PROPOSE
from shapley_coop.state.consent import cannot_sign
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Table
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import TurnContext


class Refused(NamedTuple):
    """An answer that our application would send back: `act` is "proposes" or "accepts"."""

    player: str
    act: str
    label: str
    why: str


class Replayed(NamedTuple):
    """One recorded game, replayed by the checks of our own runs.

    Attributes:
        record: the study's record.
        refused: the answers that our checks refuse, in order.
        loss: a sentence about a player's loss by the deal, or goods that it lacks; "" if none.
        stopped: whether our checks would have stopped the deal; False if there was no deal.
        differs: the differences between our outcome and the recorded one; "" if none.
    """

    record: Recorded
    refused: tuple[Refused, ...]
    loss: str
    stopped: bool
    differs: str = ""

    @property
    def offers(self) -> list[Trade]:
        """The proposed trades, except proposals to trade nothing."""
        said = self.record.answers
        return [x.trade for x in said if x.says != ACCEPT and x.trade and any(x.trade)]

    @property
    def of_nothing(self) -> int:
        """The number of proposals to trade nothing, which cannot be written as a deal."""
        said = self.record.answers
        return sum(x.says != ACCEPT and x.trade is not None and not any(x.trade) for x in said)

    @property
    def deal(self) -> bool:
        """Whether the game ended in the acceptance of a trade that is not empty."""
        return self.record.accepted is not None and any(self.record.accepted)

    @property
    def misjudged(self) -> bool:
        """Whether a bad deal is not stopped, or another deal is."""
        return self.deal and bool(self.loss) != self.stopped

    @property
    def exceptional(self) -> bool:
        """Whether the deal is misjudged, or the outcome differs from the record."""
        return self.misjudged or bool(self.differs)

    def report(self) -> dict[str, Any]:
        """Return the replay as plain JSON."""
        return {
            "where": self.record.where,
            "kind": self.record.kind,
            "models": list(self.record.models),
            "offers": len(self.offers),
            "offers_of_nothing": self.of_nothing,
            "deal": self.deal,
            "loss": self.loss,
            "stopped": self.stopped,
            "asked_back": [one._asdict() for one in self.refused],
            "differs": self.differs,
        }


def replay_study(folder: Path) -> tuple[list[Replayed], list[Unreadable]]:
    """Replay every game in a folder and below; return the replays and the unreadable records.

    Raises:
        ValueError: the folder contains no recorded game.

    Cost: about 10 ms per distinct trade and market.
    """
    with TemporaryDirectory(prefix="coop-markets-") as markets:
        played, lacking = list[Replayed](), list[Unreadable]()
        for one in records(folder):
            if isinstance(one, Unreadable):
                lacking.append(one)
                continue
            try:
                played.append(replayed(one, Path(markets)))
            except Unreadable as why:
                lacking.append(why)
            except (ValueError, IndexError):  # the format is valid, the content impossible
                lacking.append(Unreadable(one.where, "it says what no market or deal can"))
    return played, lacking


def replayed(record: Recorded, markets: Path) -> Replayed:
    """Replay one recorded game by the checks of our own runs.

    Args:
        record: the game.
        markets: a temporary folder for the file of the game's market.
    """
    table, refused = _table(record, markets), list[Refused]()
    standing: Deal | None = None
    back: Fault | None = None  # the fault of the latest proposal, or of its acceptance
    for answer in record.answers:
        accepts = answer.says == ACCEPT
        if not accepts:
            standing = _deal(record, answer.trade) if answer.trade else None
            back = None
        if standing is not None and standing.clauses and back is None:
            name, act = record.players[answer.player], "accepts" if accepts else "proposes"
            back = _asked_back(table, name, standing, accepts)
            if back is not None:
                refused.append(Refused(name, act, back.label, back.feedback))
    return Replayed(
        record=record,
        refused=tuple(refused),
        loss=loss(record, record.accepted) if record.accepted else "",
        stopped=back is not None and record.accepted is not None,
        differs=differences(record),
    )


def _table(record: Recorded, markets: Path) -> Table:
    text = json.dumps(_market(record), sort_keys=True)
    file = markets / f"{sha256(text.encode()).hexdigest()[:24]}.json"
    if not file.exists():
        file.write_text(text, encoding="utf-8")
    try:
        settings = RunConfig(game="trade", params={"market": str(file)}).resolve()
    except GameError as error:
        why = str(error).partition(": ")[2]
        raise Unreadable(record.where, f"the game is not one of our markets: {why}") from None
    table: Any = {"episode": file.stem, "settings": settings.model_dump(mode="json"), "record": []}
    game = EvaluatedTable(table).game
    more = {"agents": list(game.agents), "position": game.start(), "round": 1}
    return cast(Table, {**table, **more})


def _market(record: Recorded) -> dict[str, Any]:
    """Return the market in the format of our market files."""
    traders: dict[str, Any] = {}
    goods = sorted({good for own in record.holds for good in own} - _money(record))
    for i, (name, own) in enumerate(zip(record.players, record.holds, strict=True)):
        worths = record.worths
        worth: Any = {good: 1 if worths is None else plain(worths[i]) for good in goods}
        held = {good: own.get(good, 0) for good in goods}
        traders[name] = {"holds": held, "worth": worth}
        if worths is not None:
            traders[name]["purse"] = own.get(MONEY, 0)
    return {"name": record.kind, "pool": record.kind == "division", "agents": traders}


def _money(record: Recorded) -> set[str]:
    return {MONEY} if record.kind == "sale" else set()


def _deal(record: Recorded, trade: Trade) -> Deal:
    """Return a trade as a deal: money becomes payments, all other resources become gifts."""
    clauses: list[Give | Pay] = []
    for giver, receiver, own in zip(record.players, reversed(record.players), trade, strict=True):
        for good, amount in own.items():
            if good in _money(record):
                clauses.append(Pay(payer=giver, payee=receiver, amount=amount))
            else:
                give = Give(giver=giver, receiver=receiver, good=good, quantity=amount)
                clauses.append(give)
    return Deal(clauses=tuple(clauses))


def _asked_back(table: Table, name: str, deal: Deal, accepts: bool) -> Fault | None:
    """Return the fault for which our checks refuse a proposal or an acceptance; None if none."""
    offer = {"offer": put(deal, name, 1)} if accepts else {}
    evaluated = EvaluatedTable(cast(Table, {**table, **offer}))
    question = ANSWER if accepts else PROPOSE
    turn = TurnContext(evaluated, question.about(PLAN), (name,))
    return cannot_sign(turn, name, deal)


def protection(found: Iterable[Replayed]) -> Iterator[dict[str, Any]]:
    """Yield the counts for each kind of game, sorted by name.

    All counts are of games, but `offers…` count proposals; no count has trades of nothing. A deal
    is `bad` if it leaves a player worse off, or a player cannot perform it; all others are `good`.
    `protected`: all bad deals are stopped, all good ones let through, and all outcomes agree.
    """
    groups: dict[str, list[Replayed]] = {}
    for one in found:
        groups.setdefault(one.record.kind, []).append(one)
    for kind, games in sorted(groups.items()):
        bad = [one for one in games if one.deal and one.loss]
        good = [one for one in games if one.deal and not one.loss]
        differing = sum(bool(one.differs) for one in games)
        yield {
            "kind": kind,
            "games": len(games),
            "deals": len(bad) + len(good),
            "bad": len(bad),
            "bad_stopped": sum(one.stopped for one in bad),
            "good_let_through": sum(not one.stopped for one in good),
            "offers": sum(len(one.offers) for one in games),
            "offers_asked_back": sum(x.act == "proposes" for one in games for x in one.refused),
            "differing": differing,
            "good": len(good),
            "protected": not differing and not any(one.misjudged for one in games),
        }


def remarks(found: Sequence[Replayed]) -> list[str]:
    """Return remarks on games that the counts omit, and on assumptions of the counts."""
    answers = [answer for one in found for answer in one.record.answers]
    worded = [one.says for one in answers if "accept" in one.says.casefold() and one.says != ACCEPT]
    accepted = sum(one.record.accepted is not None and not one.deal for one in found)
    own = sum(one.says == ACCEPT and one.trade is not None for one in answers)
    said = {
        f"{sum(one.of_nothing for one in found)} offers, {accepted} of them accepted, give nothing "
        "on either side: our table has no such deal, and they are in no count": any(
            one.of_nothing for one in found
        ),
        f"{len(worded)} answers accept in other words than {ACCEPT} "
        f"({', '.join(sorted(set(worded)))}), which the study takes for going on, and so do we": (
            bool(worded)
        ),
        f"{own} acceptances bring a trade of their own: the study executes the one before, and so "
        "do we": bool(own),
        "in a swap each unit counts as 1, so every uneven swap is bad by definition, whatever the "
        "traders wanted": any(one.record.kind == "swap" for one in found),
    }
    return [line for line, holds in said.items() if holds]


def left_out(unreadable: Iterable[Unreadable]) -> list[str]:
    """Return a line for each reason why records are unreadable: how many, and one file's name."""
    by_reason: dict[str, list[str]] = {}
    for one in unreadable:
        by_reason.setdefault(one.why, []).append(one.where)
    return [
        f"{len(where)} left out: {why} ({where[0]})"
        for why, where in sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0]))
    ]
