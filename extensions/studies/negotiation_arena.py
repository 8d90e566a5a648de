"""NegotiationArena's games replayed at our table: what it would have asked back, and of whom.

Every proposal and the acceptance are put before the checks that a run's answers pass: the rules of
a bargaining, the ability to give, the signer's own purse, and what it has without the deal. The
market is made of what the record says that each holds and what it is worth to it:

========  ====================================================================================
sale      the seller's cost and the buyer's limit are their worths; the buyer's money its purse
swap      the study asks for as many resources as possible: each unit is worth 1 to both
division  the first player's resources are divided, and worth nothing if the other refuses
========  ====================================================================================

A deal is *bad* if, by the record's own numbers, somebody ends with less than before, gives what it
does not hold, or pays what it does not have; it is *stopped* if our table asks the proposal back
from its author, or the acceptance from who accepts. Both are computed apart. So every swap of
unequal numbers is bad by definition, whatever the traders wanted. What a model would have done when
asked back is not known.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Give, Pay
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.extensions.studies.negotiation_arena_outcomes import (
    changes_by,
    differences,
    gains,
)
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


@dataclass(frozen=True)
class Refused:
    """One answer that our table asks back.

    Attributes:
        player: whose.
        act: proposes, or accepts.
        label: of the fault.
        why: its words, which its author alone is told.
    """

    player: str
    act: str
    label: str
    why: str


@dataclass(frozen=True)
class Replayed:
    """One recorded game at our table.

    Attributes:
        record: as the study has it.
        refused: the answers that our table asks back, in order.
        loss: who ends worse off by what was accepted, or cannot do it, and how; empty for nobody.
        stopped: whether the deal would not have been signed as it was; False without a deal.
        differs: how what came of it differs from what the study recorded; empty if it does not.
    """

    record: Recorded
    refused: tuple[Refused, ...]
    loss: str
    stopped: bool
    differs: str = ""

    @property
    def offers(self) -> list[Trade]:
        """The trades that were proposed, and give anything."""
        return [trade for trade in self._proposed if any(trade)]

    @property
    def of_nothing(self) -> int:
        """How many proposals give nothing on either side: our table has no such deal."""
        return sum(not any(trade) for trade in self._proposed)

    @property
    def _proposed(self) -> list[Trade]:
        answers = self.record.answers
        return [one.trade for one in answers if one.says != ACCEPT and one.trade is not None]

    @property
    def deal(self) -> bool:
        """Whether anything was agreed to change hands."""
        return self.record.accepted is not None and any(self.record.accepted)

    @property
    def bad(self) -> bool:
        """Whether somebody loses by the deal."""
        return bool(self.loss)

    def report(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "where": self.record.where,
            "kind": self.record.kind,
            "models": list(self.record.models),
            "offers": len(self.offers),
            "offers_of_nothing": self.of_nothing,
            "deal": self.deal,
            "loss": self.loss,
            "stopped": self.stopped,
            "asked_back": [vars(one) for one in self.refused],
            "differs": self.differs,
        }


def replay_study(folder: Path) -> tuple[list[Replayed], list[Unreadable]]:
    """Return every game in a folder and below it at our table, and the records that cannot be read.

    Raises:
        ValueError: there is none.

    Cost: some 10 ms for each different trade in each different market.
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
            except (ValueError, IndexError):  # it is of the format, and says what none can
                lacking.append(Unreadable(one.where, "it says what no market or deal can"))
    return played, lacking


def replayed(record: Recorded, markets: Path) -> Replayed:
    """Return one recorded game at our table.

    Args:
        record: the game.
        markets: a folder for its market, which is private and does not stay.
    """
    table, refused = _table(record, markets), list[Refused]()
    standing: Deal | None = None
    back: Fault | None = None  # why what stands is asked back, of its author or of who accepts it
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
        loss=_loss(record, record.accepted) if record.accepted else "",
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
        raise Unreadable(record.where, f"no market of ours: {why}") from None
    table: Any = {"episode": file.stem, "settings": settings.model_dump(mode="json"), "record": []}
    game = EvaluatedTable(table).game
    more = {"agents": list(game.agents), "position": game.start(), "round": 1}
    return cast(Table, {**table, **more})


def _market(record: Recorded) -> dict[str, Any]:
    """Return the market as our file has it."""
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
    """Return a trade as clauses: money is paid, all else is given."""
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
    """Return why our table does not let an agent propose or accept a deal; None if it does."""
    offer = {"offer": put(deal, name, 1)} if accepts else {}
    evaluated = EvaluatedTable(cast(Table, {**table, **offer}))
    question = ANSWER if accepts else PROPOSE
    turn = TurnContext(evaluated, question.about(PLAN), (name,))
    return cannot_sign(turn, name, deal)


def _loss(record: Recorded, trade: Trade) -> str:
    """Who cannot do what was agreed, or is left worse off; a divided pool was nobody's before."""
    gained = gains(record, changes_by(trade))
    for name, own, given, gain in zip(record.players, record.holds, trade, gained, strict=True):
        for good, amount in given.items():
            if amount > own.get(good, 0):
                return f"{name} gives {amount} {good} and holds {own.get(good, 0)}"
        if gain < 0 and record.kind != "division":
            return f"{name} loses {plain(-gain)}"
    return ""
