"""The five MCP tools: negotiate, check_contract, credit, verify and runs."""

import asyncio
from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.analysis.checked import certify_terms
from shapley_coop.evals.measures.credit import credit_by
from shapley_coop.extension import installed
from shapley_coop.extensions.mcp.forms import (
    Checked,
    ContractToCheck,
    Credit,
    CreditAsked,
    Negotiation,
    Report,
    Runs,
    RunsAsked,
    Transferred,
    Verified,
    VerifyAsked,
)
from shapley_coop.extensions.mcp.place import Place, Standing
from shapley_coop.extensions.mcp.serving import Tool
from shapley_coop.games import load
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import values_of
from shapley_coop.state.resolving import norms_of

_NEGOTIATE = (
    "Let agents bargain over a game, sign a contract, act, and settle. Gives what was agreed and "
    "what each ends up with; a run that takes longer goes on, and `runs` shows it by name."
)
_CHECK = (
    "Say before signing whether a contract can be kept, and what it does to each party's "
    "incentives."
)
_CREDIT = (
    "Each agent's part in what was earned: by the record of an ended run, or for a characteristic "
    "function of your own."
)
_VERIFY = "Recompute everything that an ended run states from its record and books."
_RUNS = "Find runs, or see how one stands."


async def _negotiate(place: Place, asked: Negotiation) -> Report:
    run = await place.begin(asked.workflow, asked.room())
    await place.wait(run, asked.wait)
    standing = await place.standing(run)
    if standing.why:
        raise ValueError(f"{run} stopped: {standing.why}")
    return _report(standing)


async def _check_contract(_: Place, asked: ContractToCheck) -> Checked:
    def found() -> tuple[dict[str, Any], str]:
        game = load(asked.game, asked.params)
        terms = (asked.enforcement, asked.deposit, norms_of(game))
        return certify_terms({"clauses": asked.clauses}, game, *terms)

    record, words = await asyncio.to_thread(found)
    faults = [{"label": one["label"], "why": one["feedback"]} for one in record["faults"]]
    parties = {
        agent: {key: one[key] for key in ("individually_rational", "best_response", "dominant")}
        for agent, one in record.get("parties", {}).items()
    }
    return Checked.model_validate(
        {"sound": record["sound"], "faults": faults, "parties": parties, "words": words}
    )


async def _credit(place: Place, asked: CreditAsked) -> Credit:
    if not asked.run:
        if "values" not in installed():
            raise ValueError("worth needs the extension `values`: restore it, or give a run")
        from shapley_coop.extensions.values.files import credit_report

        whose = {"agents": asked.agents, "worth": asked.worth}
        found = await asyncio.to_thread(credit_report, whose, asked.norm)
        return Credit(norm=asked.norm, **_kept(found, "values", "standard_error"))
    standing = await place.standing(asked.run)
    result = _result(standing)

    def of_record() -> dict[str, Any]:
        return credit_by(EvaluatedTable(standing.table), result["payoffs"], asked.norm)

    found = await asyncio.to_thread(of_record)
    return Credit.model_validate(_kept(found, *Credit.model_fields))


async def _verify(place: Place, asked: VerifyAsked) -> Verified:
    checks = await place.verified(asked.run)
    found = [{"what": one.what, "sound": one.sound, "found": one.found} for one in checks]
    sound = all(one.sound for one in checks)
    return Verified.model_validate({"run": asked.run, "sound": sound, "checks": found})


async def _runs(place: Place, asked: RunsAsked) -> Runs:
    if asked.run:
        standing = await place.standing(asked.run)
        return Runs.model_validate({"runs": [standing.line], "report": _report(standing)})
    found = await place.listed(asked.game, asked.limit)
    return Runs.model_validate({"runs": found})


def _kept(found: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: found[key] for key in keys if key in found}


def _result(standing: Standing) -> dict[str, Any]:
    """Return the result of an ended run.

    Raises:
        ValueError: the run has not ended.
    """
    if standing.result is None:
        raise ValueError(f"{standing.line['run']} has not ended")
    return standing.result


def _report(standing: Standing) -> Report:
    """Return the report on a run, with its result if the run has ended."""
    line, table, result = standing.line, standing.table, standing.result or {}
    told: dict[str, Any] = {
        "run": line["run"],
        "state": line["state"],
        "why": standing.why or None,
        "waits_for": standing.waits_for or None,
        "talk": [
            {"by": one["by"], "text": one["text"]}
            for one in table.get("talk", [])
            if one["act"] != "write"
        ],
    }
    if result:
        contract = result["contract"] or {}
        told |= _kept(result, "status", "simulated", "rewards", "payoffs")
        told["happened"] = result["happened"]["words"]
        told["contract"] = contract.get("text")
        told["values"] = dict(values_of(result["credit"]))
        told["transfers"] = [Transferred.read(one) for one in result["transfers"]]
    return Report.model_validate(told)


TOOLS = (
    Tool("negotiate", _NEGOTIATE, Negotiation, Report, _negotiate, reads=False),
    Tool("check_contract", _CHECK, ContractToCheck, Checked, _check_contract),
    Tool("credit", _CREDIT, CreditAsked, Credit, _credit),
    Tool("verify", _VERIFY, VerifyAsked, Verified, _verify),
    Tool("runs", _RUNS, RunsAsked, Runs, _runs),
)
