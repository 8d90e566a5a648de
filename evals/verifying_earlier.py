"""What earlier versions stated in other words or with other hashes, as this version states it."""

import re
from collections.abc import Mapping
from typing import Any

from shapley_coop.deals import Contract, Deal, Fault, Terms, in_force, sentence
from shapley_coop.deals.contract import clause_of
from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.deals.written.reading import read_words
from shapley_coop.state import EvaluatedTable, Table

BASELINES = (
    ("who is absent does what the game's", "an absent agent does what the game's"),
    ("who is absent does", "an absent agent plays"),
    ("who is absent acts so", "an absent agent plays as follows"),
    ("who is absent", "an absent agent"),
    ("everybody acts so", "everybody plays as follows"),
    ("everybody does what the game's", "everybody does what the game's"),
    ("everybody does", "everybody plays"),
    ("a hero that is asked for nothing does", "a hero that is asked for nothing uses"),
)
"""What earlier versions said of who has no part in a deal, and what this one says."""


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


def in_todays_baselines(text: str) -> str:
    """A text with its baseline in the words of this version.

    >>> in_todays_baselines("who is absent does wait")
    'an absent agent plays wait'
    """
    today = dict(BASELINES)
    earlier = "|".join(map(re.escape, today))
    return re.sub(earlier, lambda found: today[found[0]], text)


def in_todays_credit(credit: Mapping[str, Any]) -> dict[str, Any]:
    """What a result states of credit, with its baseline in the words of this version."""
    if not isinstance(baseline := credit.get("baseline"), dict):
        return dict(credit)
    words = in_todays_baselines(str(baseline.get("words")))
    return {**credit, "baseline": {**baseline, "words": words}}


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
