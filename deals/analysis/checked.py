"""A contract checked before it is signed: what `coop contract check` and programs are told."""

from collections.abc import Sequence
from typing import Any

from shapley_coop.deals.analysis.ability_to_pay import means_of
from shapley_coop.deals.analysis.certificate import vet
from shapley_coop.deals.analysis.certificate_words import as_record, in_words
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.faults import Fault
from shapley_coop.games import Game


def certify_terms(
    contract: dict[str, Any],
    game: Game,
    enforcement: str = "enforced",
    deposit: str = "",
    norms: Sequence[str] = (),
) -> tuple[dict[str, Any], str]:
    """Return the certificate of a contract, as JSON and in words.

    Args:
        contract: a mapping with its clauses.
        game: what it is written for.
        enforcement: notional, enforced or escrow.
        deposit: of each party in escrow, in the game's unit; empty for as much as is needed.
        norms: those that can be named in a split.

    Returns:
        The record, whose key `sound` says whether the contract can be signed, and the words.

    Raises:
        ValueError: there is no such enforcement, or the deposit is no amount.
    """
    facts = {**facts_of(game), **means_of(game)}
    terms = Enforcement.of({"enforcement": enforcement, "deposit": deposit})
    found = vet(contract, facts, terms, norms, game.open_turns)
    if isinstance(found, Fault):
        words = f"Not to be signed ({found.label}): {found.feedback}"
        return {"sound": False, "faults": [found.record()]}, words
    return as_record(found), in_words(found)
