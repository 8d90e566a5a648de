"""Proofread: check what a model wrote on its sheets; a faulty one goes back with the fault."""

from collections.abc import Callable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.deals import Fault, scan
from shapley_coop.deals.language.faults import CUT
from shapley_coop.games import GameError
from shapley_coop.games.exchange.authoring import Sheet, read_descriptions_sheet, read_scores_sheet
from shapley_coop.games.exchange.scenario import Tasks
from shapley_coop.state.scenario_drafts import DESCRIBE, Desk, Draft, Manuscript, unsound


def proofread(act: str) -> Callable[[Manuscript, Runtime[Desk]], dict[str, Any]]:
    """A node that reads every draft that is not sound yet.

    Args:
        act: DESCRIBE or SCORE.
    """

    def read_all(manuscript: Manuscript, runtime: Runtime[Desk]) -> dict[str, Any]:
        desk, drafts = runtime.context, manuscript["drafts"]
        taken = {text: mask for mask, text in desk.described(drafts).items()}
        found: dict[str, Draft] = {}
        for sheet in unsound(drafts, desk.sheets(act)):
            # One after the other: of two sheets that share a description the second goes back.
            draft = found[sheet.name] = _judged(
                desk.commission.tasks, sheet, drafts[sheet.name], taken
            )
            if act == DESCRIBE:
                taken |= {text: int(bits, 2) for bits, text in draft.get("holds", {}).items()}
        return {"drafts": found}

    return read_all


def _judged(tasks: Tasks, sheet: Sheet, draft: Draft, taken: Mapping[str, int]) -> Draft:
    raw = _read(draft)
    if isinstance(raw, Fault):
        return {**draft, "fault": raw.record()}
    found: Mapping[int, Any]
    try:
        if sheet.agent:
            found = read_scores_sheet(_numbers(raw), sheet, tasks)
        else:
            found = read_descriptions_sheet(raw, sheet, tasks, taken)
    except GameError as error:
        return {**draft, "fault": Fault("SHEET", f"{error}.").record()}
    return {**draft, "fault": None, "holds": {tasks.bits(m): x for m, x in found.items()}}


def _read(draft: Draft) -> Any:
    """What stands in the answer's one proposal, or why nothing can be read there."""
    if draft["cut"]:
        return CUT
    message = scan(draft["text"])
    if isinstance(message, Fault):
        return message
    if message.proposal is None:
        return Fault("MPT", "Put one JSON object between <PROPOSAL> and </PROPOSAL>.")
    return message.proposal


def _numbers(raw: Any) -> Any:
    """The wire hands decimals over as they were written; scores are numbers."""
    if not isinstance(raw, dict):
        return raw
    return {bits: _number(score) for bits, score in raw.items()}


def _number(score: Any) -> Any:
    try:
        return float(score) if isinstance(score, str) else score
    except ValueError:
        return score
