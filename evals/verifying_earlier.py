"""What earlier versions stated in other words or with other hashes, as this version states it."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals import Contract, Deal, Fault, Terms, in_force, sentence
from shapley_coop.deals.contract import clause_of
from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.deals.written.reading import read_words
from shapley_coop.state import EvaluatedTable, Table


def states_its_clauses(contract: Contract, evaluated: EvaluatedTable) -> bool:
    """Whether a contract's words, of this version or an earlier one, say what its clauses say."""
    lines = lines_of(in_force(contract))
    told = [line.partition(". ") for line in contract["text"].split("\n") if line]
    words = in_todays_words({cid: words for cid, _, words in told}, evaluated)
    return [f"{cid}. {said}" for cid, said in words.items()] == lines


def in_todays_words(clauses: Mapping[str, str], evaluated: EvaluatedTable) -> dict[str, str]:
    """Clauses in words, those of earlier versions in the words of this one."""
    game, contract = evaluated.game, evaluated.contract
    terms = Terms(game.agents, game.actions, game.turns, goods=game.goods)
    today = {t["id"]: sentence(clause_of(t)) for t in (contract["terms"] if contract else [])}
    older = {cid: words for cid, words in clauses.items() if words != today.get(cid)}
    read = {cid: read_words(words, terms) for cid, words in older.items()}
    told = {
        cid: sentence(deal.clauses[0])
        for cid, deal in read.items()
        if not isinstance(deal, Fault) and len(deal.clauses) == 1
    }
    return {**clauses, **told}


def in_todays_hashes(events: list[dict[str, Any]], table: Table) -> list[dict[str, Any]]:
    """Events as they were stated, with hashes of offers that `coop/1` made as they are made now."""
    deals = [Deal.model_validate(s["deal"]) for s in table.get("talk", []) if "deal" in s]
    now = {deal.hash_before_2(): deal.hash() for deal in deals}
    return [
        {**event, "deal": {**put, "hash": now.get(put["hash"], put["hash"])}}
        if isinstance(event, dict) and isinstance(put := event.get("deal"), dict) and "hash" in put
        else event
        for event in events
    ]
