"""The time of commands from a warm start, with all files in the system's cache."""

from statistics import median

from benchmarks.alone import measured
from benchmarks.figures import Figure, in_turn
from benchmarks.seats import scratch

HELP, RUN, LANGGRAPH = "coop --help", "coop run escape_room", "importing LangGraph"
COMMANDS = {
    LANGGRAPH: ["-c", "import langgraph.graph, langgraph.checkpoint.sqlite.aio"],
    HELP: ["-m", "shapley_coop", "--help"],
    RUN: ["-m", "shapley_coop", "run", "escape_room"],
}


def start(repeats: int = 5) -> list[Figure]:
    """Measure the wall time of whole processes from a warm start."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with scratch():
        for name, took in in_turn(times, repeats):
            took.append(measured(*COMMANDS[name])[0])
    walls = {name: median(took) for name, took in times.items()}
    return [
        Figure(HELP, walls[HELP], "s", goal=0.2, floor=0.3),
        Figure(f"{RUN} / {LANGGRAPH}", walls[RUN] / walls[LANGGRAPH], goal=1.15, floor=1.3),
        Figure(RUN, walls[RUN], "s"),
        Figure(LANGGRAPH, walls[LANGGRAPH], "s"),
    ]
