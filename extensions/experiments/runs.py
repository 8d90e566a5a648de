"""The check that LangSmith answers, and the outputs that are uploaded to LangSmith for a run."""

from collections.abc import Mapping
from threading import Thread
from typing import Any

import requests
from langsmith import Client, get_current_run_tree, trace
from urllib3 import Retry

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import scores

ANSWER_SECONDS = 10.0
"""The longest wait of an upload for LangSmith's first answer, in seconds."""

ERRORS, NOT_REACHED = 400, 999
"""The lowest HTTP status of an error, and a pseudo-status for an endpoint without a response."""


def check_answers(connection: Mapping[str, Any]) -> None:
    """Check with one request that LangSmith answers, before an upload makes many requests.

    Raises:
        ValueError: LangSmith does not answer in time, or answers with an error.
    """
    client = Client(**{**connection, "auto_batch_tracing": False, "retry_config": Retry(0)})
    answered: list[int] = []
    # A daemon thread lets the process exit even if LangSmith never answers.
    asking = Thread(target=lambda: answered.append(_status(client)), daemon=True)
    asking.start()
    asking.join(ANSWER_SECONDS)
    if not answered:
        told = f"no answer within {ANSWER_SECONDS:g} s"
    elif answered[0] < ERRORS:
        return
    else:
        told = "it cannot be reached" if answered[0] == NOT_REACHED else f"HTTP {answered[0]}"
    raise ValueError(
        f"LangSmith at {client.api_url}: {told}; nothing was uploaded: repeat the command, which "
        "plays nothing again"
    )


def _status(client: Client) -> int:
    """Return the HTTP status of LangSmith's `/info`, or `NOT_REACHED` without a response."""
    try:
        within = (ANSWER_SECONDS, ANSWER_SECONDS)
        return client.session.get(f"{client.api_url}/info", timeout=within).status_code
    except requests.RequestException:
        return NOT_REACHED


def told_by_phase(row: Row) -> dict[str, Any]:
    """Return a run's outputs; name its trace by game and seed, and log its phases as child runs."""
    outcome = row["result"]
    if traced := get_current_run_tree():
        traced.name = f"{outcome['game']} seed {row['seed']}"
    told: dict[str, dict[str, Any]] = {
        "negotiation": {
            "rounds_of_talk": outcome.get("rounds_of_talk"),
            "contract": (outcome["contract"] or {}).get("text"),
        },
        "action": {key: outcome.get(key) for key in ("turns_played", "acted", "rewards")},
        "settlement": {key: outcome.get(key) for key in ("transfers", "payoffs", "ledger")},
    }
    for phase, found in told.items():
        spent = {
            "seconds": outcome.get("timing", {}).get(phase),
            "spending": outcome.get("spending", {}).get(phase),
        }
        with trace(
            phase, inputs={"agents": outcome["agents"]}, metadata={"seed": row["seed"]}
        ) as run:
            run.end(outputs={**found, **spent})
    return _outputs(row)


def _outputs(row: Row) -> dict[str, Any]:
    """Return the result of a run, with the scores and keys for later comparisons."""
    outcome = row["result"]
    shown = ("status", "payoffs", "rewards", "transfers", "credit", "breaches", "usage")
    return {
        **{key: outcome[key] for key in shown},
        "conduct": outcome.get("conduct"),
        "contract": (outcome["contract"] or {}).get("text"),
        "seed": row["seed"],
        "repetition": row["repetition"],
        "suite": row["suite"],
        "scores": scores(row),
    }
