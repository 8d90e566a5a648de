"""The facts about work under a deal: the tasks that it still asks for, and those left out."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.amounts import plain as in_digits
from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.talk import exchange_of
from shapley_coop.prompts.words import plain
from shapley_coop.state.offered import kept_or_broken
from shapley_coop.state.turn import TurnContext

Facts = Mapping[str, Any]


def still_open(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the duties that an agent can still do, and the tasks asked for that it did not do.

    A task done at another turn than the deal's is asked for no more. Without a deal, and if the
    run's letters name no duties, nothing is returned.
    """
    evaluated = turn.evaluated
    if not evaluated.contract:
        return {}
    facts = _nothing_more(turn, agent)
    if not evaluated.config.duties:
        return facts
    legal, clauses = evaluated.legal(agent), evaluated.clauses
    own = [duty for duty in evaluated.duties if duty.binds(agent)]
    owed = [duty for duty in own if duty.forbidden or duty.action in legal]
    broken = [clauses[b.clause] for b in evaluated.signed.monitor.breaches if b.agent == agent]
    asked = [getattr(clause, "action", "") for clause in broken]
    left_out = [action for action in asked if action in legal]
    found = facts.get("as_it_stands") or kept_or_broken(turn, agent).get("as_it_stands")
    if left_out and found:
        kept, *others = found["rows"]
        kept = {**kept, "by": "what you left out is done, too"}
        facts = {"as_it_stands": {**found, "rows": [kept, *others]}}
    return {
        **facts,
        "duties": [
            {"clause": duty.clause, "action": duty.action, "forbidden": duty.forbidden}
            for duty in owed
        ],
        "done_before": [duty.action for duty in own if duty not in owed],
        "left_out": left_out,
    }


def _nothing_more(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the outlook with a row for doing nothing more, if no row says what a breach pays."""
    found = kept_or_broken(turn, agent).get("as_it_stands")
    game, position = exchange_of(turn.evaluated), turn.table["position"]
    if not found or any(row.get("who") == agent for row in found["rows"]):
        return {}
    held, done = (
        from_bits(bits, game.tasks.n) for bits in (position["holds"][agent], position["done"])
    )
    rest = (held & ~done).bit_count()
    worth = [Fraction(str(game.scenario.utility(agent, part))) for part in (held, held & done)]
    if turn.evaluated.turn + rest > game.params.rounds + 1 or worth[0] == worth[1]:
        return {}
    kept = exact(found["rows"][0]["payoffs"][agent]["mean"])
    paid = {agent: {"mean": in_digits(kept - worth[0] + worth[1])}}
    row = {"if": "you do nothing more", "who": "", "by": "", "payoffs": paid}
    return {"as_it_stands": {**found, "rows": [found["rows"][0], row, *found["rows"][1:]]}}


def open_in_words(view: Facts) -> dict[str, str]:
    """Return the template variable on the tasks that the deal no longer asks for.

    >>> open_in_words({"left_out": ["cook"]})["brought"].partition(": ")[0]
    'You left out, at its turn in the deal'
    """
    done, missed = (", ".join(map(plain, view.get(key, ()))) for key in ("done_before", "left_out"))
    told = [_DONE.format(done)] if done else []
    told += [_LEFT_OUT.format(missed)] if missed else []
    return {"brought": "\n\n".join(told)}


_DONE = "The deal set this turn for a task that is done already: {}."
_LEFT_OUT = (
    "You left out, at its turn in the deal: {}. The deal asks for it no more, and doing it now "
    "does not undo the breach; done, it still counts in what you are paid for."
)
