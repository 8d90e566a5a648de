"""Advice on each agent: keep, downgrade, remove, or play more; and whether the team is a gain.

The whole app is compared with one of its agents alone. This agent plays repeatedly until it has
used as many tokens as the app, and its best score counts. The team is a gain if it scores more.
"""

from dataclasses import dataclass, replace
from math import isfinite
from statistics import mean

from shapley_coop.extensions.attribute.advising import Advising, Step
from shapley_coop.extensions.attribute.figures import rough, shown
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.metrics import means
from shapley_coop.extensions.attribute.naming import name_of
from shapley_coop.extensions.attribute.trials import NEARLY, Trial, Trials
from shapley_coop.extensions.attribute.values import leave_one_out

KEEP, DOWNGRADE, REMOVE, MORE = "keep", "downgrade", "remove", "more"
NOT_MEASURED = "not measured"

MOST_TRIES = 16
"""The most repetitions of one agent alone."""


@dataclass(frozen=True)
class Advice:
    """The advice on one agent.

    Attributes:
        agent: the agent's name.
        verdict: keep, downgrade, remove, more (keep the agent until more plays decide), or not
            measured (the plays do not show the loss by removal).
        model: the model to use instead, if the verdict is downgrade.
        loss: the mean score lost by the change, or by removal if the advice is to keep. A
            negative loss is a gain. None if the changed play has no score.
        error: the distance from the loss to the far end of its 95 % interval; None for one run.
        saving: USD saved per run of the app; None if a price or tokens are unknown.
        tokens: tokens saved per run; None if unknown.
        seconds: seconds saved per run; None if unknown.
        more: an estimate of how many more inputs (or samples of one input) would decide; 0 if the
            verdict is known, or after a single run, which gives no estimate.
        more_cost: USD for these further plays; None if unknown.
        why: the reason in words.
    """

    agent: str
    verdict: str
    model: str | None
    loss: float | None
    error: float | None
    saving: float | None
    tokens: float | None
    seconds: float | None
    more: int
    more_cost: float | None
    why: str


Rows = dict[str, dict[str, float]]


async def advised(game: AppGame) -> tuple[list[Advice], Rows]:
    """Play changed versions of an app, and advise on each agent.

    Returns:
        The advice, and the mean metrics per run of the app as it is and as advised.
    """
    advising = Advising(Trials(game))
    await advising.look()
    found = [_advice(advising, agent) for agent in game.agents]
    rows = {"as it is": _row(await advising.trials.one({}))}
    if advising.plan:
        rows["as advised"] = _row(await advising.trials.one(advising.plan))
    return found, rows


def _advice(advising: Advising, agent: str) -> Advice:
    taken, unsure = advising.taken.get(agent), advising.open.get(agent)
    step = taken or unsure or advising.removals[agent]
    verdict = KEEP if not taken and not unsure else MORE
    if taken:
        verdict = DOWNGRADE if taken.change else REMOVE
    elif step.loss.why or (verdict == KEEP and _is_unmeasured(advising, agent, step)):
        verdict = NOT_MEASURED
    loss, saves = step.loss.mean, step.saves if taken or unsure else {}
    more = unsure.loss.more(advising.tolerance) if unsure else 0
    return Advice(
        agent=agent,
        verdict=verdict,
        model=name_of(step.change) if step.change else None,
        loss=loss if isfinite(loss) else None,
        error=step.loss.error,
        saving=saves.get("cost"),
        tokens=saves.get("tokens"),
        seconds=saves.get("seconds"),
        more=more,
        more_cost=_cost_of(advising, more),
        why=_why(advising, agent, step, more, bool(taken)),
    )


def _is_unmeasured(advising: Advising, agent: str, step: Step) -> bool:
    """Return whether the loss may be small only because the stand-in kept the agent's fields."""
    tolerance = advising.tolerance
    return bool(advising.kept_fields(agent)) and (
        step.loss.is_little(tolerance) or step.loss.is_open(tolerance)
    )


def _cost_of(advising: Advising, more: int) -> float | None:
    """Return the USD for `more` inputs or samples, at the mean cost of the plays so far."""
    trials = advising.trials
    costs = [means(trials.game, of).get("cost") for of in trials.plays()]
    spent = [x for x in costs if x is not None]
    return more * sum(spent) if more and len(spent) == len(costs) else None


def _why(advising: Advising, agent: str, step: Step, more: int, is_taken: bool) -> str:
    """Return the reason for the advice in words."""
    vain = [] if is_taken else advising.in_vain.get(agent, [])
    if step.loss.why:
        return ", ".join([f"its removal has no score: {step.loss.why}", *vain])
    what = f"with {name_of(step.change)}" if step.change else "without it"
    lost = step.loss.mean if abs(step.loss.mean) > NEARLY else 0.0
    moved = "gains" if lost < 0 else "loses"
    game = advising.trials.game
    kind = "inputs" if len({unit.number for unit in game.units}) > 1 else "samples"
    said = [f"{what} the score {moved} {shown(abs(lost))}{_spread(step, kind)}"]
    if step.change is None and _is_unmeasured(advising, agent, step):
        same = ", ".join(advising.kept_fields(agent))
        measures = f"--absent {agent}=path.py:function measures it"
        said.append(f"its {same} kept as it wrote it: {measures}")
    if stays := advising.stays_for.get(agent):
        said.append(f"now that {', '.join(stays)} can go")
    if step.loss.error is None:
        said.append("of one run: more inputs would tell")
    if more:
        what = "it can go" if is_taken else "that matters"
        said.append(
            f"about {more} more {kind[:-1] if more == 1 else kind} would tell whether {what}"
        )
    return ", ".join([*said, *vain])


def _spread(step: Step, kind: str) -> str:
    """Return the error of the mean loss in words; "" if the error is unknown."""
    error = step.loss.error
    if error is None:
        return ""
    if error <= NEARLY:
        return f" in each of {len(step.loss.rows)} {kind}"
    return f" ± {shown(rough(error))}"


def _row(trial: Trial) -> dict[str, float]:
    return {"score": trial.score, **trial.measured}


async def one_alone(game: AppGame) -> Rows:
    """Play the best single agent until it has used as many tokens as the app; return its metrics.

    Agents that use no tokens are excluded: they could never use as many tokens as the app.

    Raises:
        CallsSpent: no further call is allowed; the calls made so far are kept.
    """
    await game.ask(1 << i for i in range(len(game.agents)))
    missed = leave_one_out(game)
    alone = {1 << i: (mean(game.worths[1 << i]), missed[i]) for i in range(len(game.agents))}
    takers = [1 << i for i, agent in enumerate(game.agents) if game.asks_models(agent)]
    known = [
        mask
        for mask in takers
        if all(map(isfinite, alone[mask])) and means(game, game.plays[mask]).get("tokens") != 0
    ]
    if not known:
        return {}
    mask = max(known, key=lambda mask: alone[mask])
    agent = game.agents[mask.bit_length() - 1]
    one, whole = (means(game, game.plays[m]) for m in (mask, game.everyone))
    tries = int(min(MOST_TRIES, max(1, whole.get("tokens", 0) // (one.get("tokens", 0) or 1))))
    samples = 1 + max(unit.sample for unit in game.units)
    units = [
        replace(unit, sample=unit.sample + samples * k) for unit in game.units for k in range(tries)
    ]
    full = [played for played in game.full for _ in range(tries)]
    again = replace(game, units=units, full=full, worths={}, plays={}, failures=[])
    await again.ask([mask])
    scores = again.worths[mask]
    each = [scores[k : k + tries] for k in range(0, len(scores), tries)]
    best = [max(filter(isfinite, own), default=None) for own in each]
    if None in best:
        return {}
    spent = {name: x * tries for name, x in means(again, again.plays[mask]).items()}
    name = f"{agent} alone, best of {tries}" if tries > 1 else f"{agent} alone"
    return {name: {"score": mean(x for x in best if x is not None), **spent}}
