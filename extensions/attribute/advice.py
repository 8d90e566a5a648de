"""Advice on each agent of an app: keep, downgrade, remove, or that nobody knows; and whole apps.

The baseline is one agent alone, asked again until it has taken as many tokens as the whole app; the
best of its answers counts, by the user's own score. A team that does not beat that is no gain.
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
"""Of one agent alone."""


@dataclass(frozen=True)
class Advice:
    """What to do with an agent.

    Attributes:
        agent: its name.
        verdict: keep, downgrade, remove; more: it stays as it is until more is played; not
            measured: the play without it has no score.
        model: in place of its own, where the verdict is downgrade.
        loss: of the mean score by the advised change; of one to keep, by its removal; below 0 the
            score gains. None where that play has no score.
        error: how far its 95 % interval goes from the loss; None of a single run.
        saving: USD a run of the app; None where a price or tokens are not known.
        tokens: saved a run; None where they are not known.
        seconds: saved a run.
        more: inputs, or samples of a single input, that would tell, about; 0 where it is
            known, and of a single run, from which nobody can say how many.
        more_cost: USD of playing them; None where it is not known.
        why: in words.
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
    """Advise on each agent of a game in which all have played, and compare whole apps.

    Returns:
        The advice, and the score, tokens, seconds and USD a run of the app as it is and as advised.
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
    elif step.loss.why:
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


def _cost_of(advising: Advising, more: int) -> float | None:
    """USD of so many more inputs or samples, if each takes what those took that were played."""
    trials = advising.trials
    costs = [means(trials.game, of).get("cost") for of in trials.plays()]
    spent = [x for x in costs if x is not None]
    return more * sum(spent) if more and len(spent) == len(costs) else None


def _why(advising: Advising, agent: str, step: Step, more: int, is_taken: bool) -> str:
    """Return the advice in words."""
    vain = [] if is_taken else advising.in_vain.get(agent, [])
    if step.loss.why:
        return ", ".join([f"its removal has no score: {step.loss.why}", *vain])
    what = f"with {name_of(step.change)}" if step.change else "without it"
    error = "" if step.loss.error is None else f" ± {shown(rough(step.loss.error))}"
    lost = step.loss.mean if abs(step.loss.mean) > NEARLY else 0.0
    moved = "gains" if lost < 0 else "loses"
    said = [f"{what} the score {moved} {shown(abs(lost))}{error}"]
    game = advising.trials.game
    is_advised = agent in advising.taken or agent in advising.open
    if is_advised and step.change is None and (same := game.stage.unmeasured(agent, game.full)):
        said.append(f"its {', '.join(same)} kept as it wrote it (not measured)")
    if stays := advising.stays_for.get(agent):
        said.append(f"now that {', '.join(stays)} can go")
    if step.loss.error is None:
        said.append("of one run: more inputs would tell")
    if more:
        kind = "inputs" if len({u.number for u in game.units}) > 1 else "samples"
        what = "it can go" if is_taken else "that matters"
        said.append(
            f"about {more} more {kind[:-1] if more == 1 else kind} would tell whether {what}"
        )
    return ", ".join([*said, *vain])


def _row(trial: Trial) -> dict[str, float]:
    return {"score": trial.score, **trial.measured}


async def one_alone(game: AppGame) -> Rows:
    """Return the best answers of the best agent alone that takes as many tokens as the whole app.

    Who takes no tokens is no baseline: no number of tries comes to those of the app.

    Raises:
        CallsSpent: no further call is allowed; what was made is kept.
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
