"""The check of a contract before signing, for `coop contract check` and for programs."""

from collections.abc import Sequence
from typing import Any

from shapley_coop import extension
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
        contract: a mapping with the key `clauses`.
        game: the game that the contract is for.
        enforcement: notional, enforced or escrow.
        deposit: each party's deposit in escrow, in the game's unit; "" to compute it.
        norms: the norms that a split may name.

    Returns:
        The JSON, whose key `sound` says whether the contract can be signed, and the words.

    Raises:
        ValueError: the enforcement is unknown, or the deposit is not an amount of 0 or more.
    """
    facts = {**facts_of(game), **means_of(game)}
    terms = Enforcement.of({"enforcement": enforcement, "deposit": deposit})
    found = vet(contract, facts, terms, norms, game.open_turns)
    if isinstance(found, Fault):
        words = f"Not to be signed ({found.label}): {found.in_a_line}"
        return {"sound": False, "faults": [found.record()]}, words
    record, lines = as_record(found), [in_words(found)]
    for name in extension.offered("certificates") if found.sound else ():
        record[name], told = extension.load("certificates", name)(found, facts)
        lines += told
    return record, "\n".join(lines)
