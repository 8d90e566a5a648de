"""The outlook of an offer, cached: the payoffs if agents keep the offer or break it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import orjson

from shapley_coop.credit.attribution import attribute_by
from shapley_coop.deals.analysis.outlook import Prospect, outlook
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.settlement import earnings
from shapley_coop.games import Game, Turn
from shapley_coop.remembered import Bounded
from shapley_coop.state.characteristic import characteristic


def outlook_of(
    game: Game,
    terms: Enforcement,
    stands: bytes,
    deal: Deal | None,
    norms: Sequence[str] = (),
    viewer: str = "",
) -> dict[str, Any]:
    """Return an offer's outlook, as plain JSON: the payoffs if kept, if broken, and without it.

    Args:
        terms: how contracts are enforced in this run.
        stands: JSON of the game's position, the turns played, and the contract in force, which the
            offer would amend.
        deal: the offer; None to examine the contract in force without any offer.
        norms: the norms whose payoffs are shown for comparison.
        viewer: the reader of the outlook; used only if the game's payoffs are private.

    The latest results are cached; `deals.analysis.outlook` says what computing one costs.
    """
    key = _key(game, terms, stands, deal, norms, viewer)
    if (found := _computed.get(key)) is None:
        prospect = replace(_prospect(*key[:-1]), viewer=key[-1])
        found = _computed[key] = json.dumps(outlook(prospect).record())
    return orjson.loads(found)  # type: ignore[no-any-return] # each reader gets a fresh copy


_Key = tuple[Game, Enforcement, bytes, Deal | None, tuple[str, ...], str]
_computed = Bounded[_Key, str]()


def _key(
    game: Game,
    terms: Enforcement,
    stands: bytes,
    deal: Deal | None,
    norms: Sequence[str],
    viewer: str,
) -> _Key:
    viewer = viewer if game.analysis.ahead.foreseeable == "own" else ""
    return game, terms, stands, deal, tuple(norms), viewer


@lru_cache(maxsize=16)  # cached: several agents see the same offer, one after another
def _prospect(
    game: Game, terms: Enforcement, stands: bytes, deal: Deal | None, norms: tuple[str, ...]
) -> Prospect:
    position, record, standing = json.loads(stands)
    return Prospect(
        game=game,
        position=position,
        record=record,
        standing=standing,
        deal=deal,
        enforcement=terms,
        norm_payoffs=norm_payoffs,
        norms=norms,
    )


def norm_payoffs(game: Game, record: Sequence[Turn], norm: str) -> dict[str, Fraction]:
    """Return every agent's payoff if a norm divides the total of a record."""
    total = sum(earnings(record, game.agents).values(), Fraction(0))
    return attribute_by(characteristic(game, record), norm).payoffs(total)
