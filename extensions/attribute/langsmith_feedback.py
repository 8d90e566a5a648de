"""Values as LangSmith feedback: from an evaluator in an experiment, or sent to one trace.

from langsmith import evaluate
evaluate(app.invoke, data="tickets", evaluators=[evaluator(app, ["writer", "critic"], score)])
"""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from langsmith import Client
from langsmith.evaluation import EvaluationResult, EvaluationResults
from langsmith.run_helpers import tracing_context
from langsmith.schemas import Example, Run
from langsmith.utils import LangSmithError

from shapley_coop.extensions.attribute.attributing import attribute
from shapley_coop.extensions.attribute.result import AppCredit, norm_in_words
from shapley_coop.extensions.attribute.scoring import Score


def evaluator(
    graph: Any, agents: Sequence[str], score: Score, **settings: Any
) -> Callable[[Run, Example], EvaluationResults]:
    """Return an evaluator that computes the agents' values on an example's inputs.

    Args:
        graph: the app's graph, as in `attribute`.
        agents: the names of the app's agents.
        score: a function of the final state, or of the final state and the input.
        settings: see `Settings`.

    Returns:
        An evaluator for `langsmith.evaluate`; its plays are not traced.
    """

    def credit(run: Run, example: Example) -> EvaluationResults:
        with tracing_context(enabled=False):
            found = attribute(graph, agents, score, [example.inputs or {}], **settings)
        return {"results": results(found)}

    return credit


def results(credit: AppCredit) -> list[EvaluationResult]:
    """Return a result per agent, `credit.NAME`; its comment gives the value's error and tokens.

    If an app has no values, the score is None and the comment gives the reason.
    """
    return [
        EvaluationResult(
            key=f"credit.{agent}",
            score=None if credit.values is None else credit.values[agent],
            comment=_comment(credit, agent),
        )
        for agent in credit.agents
    ]


def send(credit: AppCredit, trace: UUID | str, project: str, client: Client | None = None) -> None:
    """Write an app's values as feedback on an existing trace.

    Args:
        credit: the result of `attribute`.
        trace: the id of the trace's root run.
        project: the name of the trace's project.
        client: a LangSmith client; if None, a client is made from the environment.

    Raises:
        ValueError: LangSmith cannot be reached, or refuses the feedback.
    """
    client = client or Client()
    try:
        session = client.read_project(project_name=project).id
        for one in results(credit):
            # Leave out the trace id: then the client sends the feedback before it returns.
            about: dict[str, Any] = {"key": one.key, "score": one.score, "comment": one.comment}
            client.create_feedback(trace, **about, session_id=session, stop_after_attempt=1)
    except LangSmithError as error:
        raise ValueError(f"LangSmith: {' '.join(str(error).split())[:300]}") from None


def _comment(credit: AppCredit, agent: str) -> str:
    if credit.values is None:
        return next(note for note in credit.notes if note.startswith("no values"))
    tokens, told = credit.spent[agent].tokens, [f"{norm_in_words(credit.value)}, {credit.method}"]
    if credit.interval:
        told.append("95 % from {:.4g} to {:.4g}".format(*credit.interval[agent]))
    elif credit.standard_error:
        told.append(f"standard error {credit.standard_error[agent]:.4g}")
    return ", ".join([*told, *([] if tokens is None else [f"{tokens:.4g} tokens a run"])])
