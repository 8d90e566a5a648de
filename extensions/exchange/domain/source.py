"""The sources of scenarios: built in, a file, an extension's records, or generated."""

from collections.abc import Sequence
from pathlib import Path

from shapley_coop import extension
from shapley_coop.extensions.exchange.domain import paper
from shapley_coop.extensions.exchange.domain.additive import Additive, additive
from shapley_coop.extensions.exchange.domain.files import read_scenario
from shapley_coop.extensions.exchange.domain.params import TaskExchangeParams
from shapley_coop.extensions.exchange.domain.preferences import draw_preferences, scores
from shapley_coop.extensions.exchange.domain.registry import Registry
from shapley_coop.extensions.exchange.domain.scenario import Atom, Scenario, Tasks, check_table
from shapley_coop.extensions.exchange.domain.tables import normalise_scores
from shapley_coop.files import no_such
from shapley_coop.games.dice import dice
from shapley_coop.games.files import read_file
from shapley_coop.games.params import GameError

GENERATED = "generated"
FILE_ENDINGS = (".yaml", ".yml", ".json")
NO_RECORDS = "records: no extension that reads TaskBench records is installed: leave it out"


def scenario_of(params: TaskExchangeParams, seed: int) -> Scenario:
    """Return the scenario that a game's parameters name.

    Raises:
        GameError: there is no such scenario, or its file cannot be read.
    """
    p = params
    if p.records:
        drawn: Scenario = extension.only("records", NO_RECORDS)(p, seed)
        return drawn
    if p.scenario == GENERATED:
        return generate_scenario(p.agents, p.atoms, p.competition, seed, p.additive)
    return scenario(p.scenario, p.variant)


def scenario(name: str, variant: int = 0) -> Scenario:
    """Return a scenario by name or file.

    Args:
        name: `paper_cooperative`, `paper_competitive`, or a path ending in .yaml, .yml or .json.
        variant: the seed of utilities that the paper does not print, for built-in scenarios.

    Raises:
        GameError: there is no such scenario.
    """
    if name in paper.names():
        return paper.paper(name, variant)
    if name.endswith(FILE_ENDINGS):
        return read_scenario(name)
    raise GameError(no_such("scenario", name, paper.names(), "or give a file"))


def names_a_file(given: str) -> bool:
    """Return whether the parameter `scenario` names a file, not a scenario that is made here."""
    return given not in (GENERATED, *paper.names())


def generate_scenario(
    agents: Sequence[str], atoms: int, competition: float, seed: int, sums: bool = False
) -> Scenario:
    """Return a scenario of everyday tasks, dealt to the agents as evenly as possible.

    Args:
        atoms: the number of tasks; if the built-in list is shorter, tasks recur for other events.
        competition: how alike the agents' preferences are, from 0 to 1.
        seed: the seed of the draw.
        sums: whether utilities are additive, with a value drawn for each task; otherwise they are
            tables computed from preferences in words.
    """
    chores = list(read_file(Path(__file__).with_name("chores.yaml"), "tasks").items())
    order = dice(seed, 0, "chores").permutation(len(chores))
    picked = [(*chores[int(order[k % len(chores)])], k // len(chores)) for k in range(atoms)]
    chosen = tuple(_chore(tool, says, event) for tool, says, event in picked)
    initial = dict.fromkeys(agents, 0)
    for position in range(atoms):
        initial[agents[position * len(agents) // atoms]] |= 1 << (atoms - 1 - position)
    tasks = Tasks(chosen, initial, Registry([atom.says for atom in chosen]))
    name = f"{GENERATED} ({competition:g})"
    if sums:
        return Scenario(name, tasks, _draw_utilities(agents, atoms, competition, seed))
    check_table(atoms)
    return dial(name, tasks, competition, seed)


def _chore(tool: str, says: str, event: int) -> Atom:
    """Return a task for an event; the words name the event unless it is the first (0)."""
    if not event:
        return Atom(tool, {}, says)
    return Atom(tool, {"event": str(event + 1)}, f"{says} for event {event + 1}")


def _draw_utilities(
    agents: Sequence[str], atoms: int, competition: float, seed: int
) -> dict[str, Additive]:
    """Return random additive utilities; `competition` is the weight of common random values."""
    common, own = competition * dice(seed, 0, "values").random(atoms), 1 - competition
    return {
        agent: additive(common + own * dice(seed, 0, f"values/{agent}").random(atoms))
        for agent in agents
    }


def dial(name: str, tasks: Tasks, competition: float, seed: int) -> Scenario:
    """Return a scenario with random preferences, and utilities computed from their texts.

    Args:
        name: the scenario's name.
        tasks: its public part.
        competition: how alike the agents' preferences are, from 0 to 1.
        seed: the seed of the draw.
    """
    told = draw_preferences(tasks.atoms, tasks.agents, competition, seed)
    return Scenario(
        name=name,
        tasks=tasks,
        utilities={
            agent: normalise_scores(scores(text, tasks.atoms, seed, agent))
            for agent, text in told.items()
        },
        preferences=told,
    )
