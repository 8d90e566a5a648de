"""Compare what two checkouts do, byte for byte: letters, hashes, payments, credit, tables.

python -m tests.compared BEFORE [SEEDS [PART ...]]    # a commit or a checkout's folder; with this

Each plays the battery in a process of its own, with embedded agents: a folder that has a `.venv`
with that, else with the libraries of this one. Exit code 1: something differs.
"""

import contextlib
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from itertools import combinations, product
from operator import itemgetter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SEATS = {"0": "rational", "7": "sloppy", "3": "free_rider"}
SETTINGS = """prisoners_dilemma --graph contracts --enforcement escrow --renegotiate on_breach
raid_battle --graph shapley_coop --preset shapley_coop_paper --renegotiate every_1
volunteers --graph delegates --set agents=["Ann","Ben","Cem","Dee","Eve","Fay"]
escape_room --graph shapley_coop --disagreement norm""".splitlines()
NORMS = "shapley|banzhaf|banzhaf_normalised|leave_one_out|deegan_packel|nucleolus|equal"
SUITES = """escape_room raid_ablation raid_rounds task_exchange_table contracts_table norms company
first_mover institutions reputation markets"""
CLAUSES = """{"kind": "do", "agent": "Ann", "action": "a", "when": {"turns": [1, 3]}}
{"kind": "do", "agent": "everyone", "action": "b", "when": {"not": {"every": 2, "start": 1}}}
{"kind": "forbid", "agent": "Ben", "action": "Ünder \\"x\\"", "when": {"all": ["always"]}}
{"kind": "pay", "payer": "Ann", "payee": "others", "amount": "2.50", "when": {"any": [@]}}
{"kind": "pay", "payer": "Ben", "payee": "Ann", "amount": 0.125, "basis": "turn", "when": @}
{"kind": "pay", "payer": "Ann", "payee": "Ben", "amount": "1/3", "basis": "reward"}
{"kind": "give", "giver": "Ann", "receiver": "Ben", "good": "wood", "quantity": 2}
{"kind": "share", "norm": "shapley"}
{"kind": "share", "fractions": {"Ann": "1/3", "Ben": "2/3"}}""".splitlines()
WHENS = """{"earned": "Ann", "at_least": "1.50"}
{"last": {"agent": "Ann", "action": "a"}}
{"count": {"agent": "Ben", "action": "a"}, "at_least": 2}""".splitlines()
PASSING = {"run", "episode", "timing"}
Item = tuple[str, str, Any]
Played = dict[tuple[str, str], Any]


def coop(*words: str) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, and what it printed."""
    from shapley_coop.cli import main

    sys.argv, out, err = ["coop", *words], io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def runs(seeds: list[str]) -> Iterator[Item]:
    """Every game by every workflow, and some settings: letters, result, verification."""
    parts = coop("list")[1].split("\n\n")
    games, graphs = (re.findall(r"^  (\w+)", part, re.MULTILINE) for part in parts[:2])
    told = [f"{game} --graph {graph}" for game, graph in product(games, graphs)]
    for number, (words, seed) in enumerate(product(told + SETTINGS, seeds)):
        seat, run = SEATS.get(seed, "rational"), f"r{number}"
        name = f"{words} --seed {seed} --model embedded:{seat}"
        given = [word.replace("every_", "every ") for word in name.split()]
        ended = coop("run", *given, "--name", run)
        yield "exit codes and refusals", name, [ended[0], ended[2]]
        if ended[0] == 0:
            letters = [*map(json.loads, coop("letters", run)[1].splitlines())]
            letters.sort(key=itemgetter("agent", "act", "answer", "letter_text"))
            yield from (("letters", f"{name}, letter {n}", one) for n, one in enumerate(letters))
            shown = json.loads(coop("show", run, "--json")[1])
            yield from ((f"result: {key}", name, shown[key]) for key in shown if key not in PASSING)
            verified = coop("verify", run)
            yield "verify", name, [verified[0], re.sub(r"head .*", "", verified[1])]


def hashes(_: list[str]) -> Iterator[Item]:
    """Hashes and words of deals of every two clauses, under several conditions."""
    from shapley_coop.deals.language.deal import Deal, put

    for one, other, when in product(CLAUSES, CLAUSES, WHENS):
        told = f'{{"clauses": [{one}, {other}]}}'.replace("@", when)
        deal = Deal.model_validate_json(told)
        yield "hashes of deals (coop/2)", told, [put(deal, "Ann", 1), deal.text()]


def credit(_: list[str]) -> Iterator[Item]:
    """Every norm's values of drawn characteristic functions; in a third A adds nothing."""
    rng = random.Random(0)
    for number, agents in enumerate(["AB", *["ABC"] * 5, *["ABCD"] * 5, "ABCDE", "ABCDEFGH"]):
        worth = {"": 0}
        for team in (t for k in range(len(agents)) for t in combinations(agents, k + 1)):
            drawn, without = rng.randint(-4 * (number % 2), 20), ",".join(team).strip("A,")
            worth[",".join(team)] = worth[without] if "A" in team and number % 3 == 2 else drawn
        Path("game.json").write_text(json.dumps({"agents": [*agents], "worth": worth}))
        for norm in NORMS.split("|"):
            told = coop("credit", "game.json", "--value", norm, "--json")
            yield f"credit by {norm}", json.dumps(worth), [*told]


def tables(seeds: list[str]) -> Iterator[Item]:
    """Every row of the shipped suites, and every table of their reports."""
    for suite in SUITES.split():
        yield "sweeps", suite, coop("sweep", suite, "--seeds", seeds[0], "-o", suite)
        if (told := coop("report", suite, "-o", f"{suite}.html"))[0]:
            raise SystemExit(f"{suite}: no report to compare: {told}")
        # A row's link begins with what is of this folder alone.
        html = re.sub(r"\b[\da-f]{8}\.", "", Path(f"{suite}.html").read_text(encoding="utf-8"))
        for number, table in enumerate(re.findall(r"<table.*?</table>", html, re.DOTALL)):
            head, *body = (re.split("<t[hd]", row)[1:] for row in table.split("<tr")[1:])
            told = [dict(zip(head, row, strict=False)) for row in body if "timed runs" not in table]
            yield "tables of reports", f"{suite} {number}", told
        coop("export", suite, "-o", f"{suite}.tables")
        for file in sorted(Path(f"{suite}.tables").glob("[!t]*.csv")):
            yield "rows", f"{suite} {file.stem}", [*csv.DictReader(file.open(encoding="utf-8"))]


BATTERY = {part.__name__: part for part in (runs, hashes, credit, tables)}


@contextlib.contextmanager
def checkout(named: str) -> Iterator[Path]:
    """Yield the folder of a checkout; a commit is checked out for the time."""
    if Path(named).is_dir():
        yield Path(named).resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        tree, git = Path(folder) / named, ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), named], check=True)
        try:
            for init in tree.glob("*/__init__.py"):  # once the package held no links to folders
                link = tree / "shapley_coop" / init.parent.name
                if not link.exists() and link.name not in ("shapley_coop", "tests", "benchmarks"):
                    link.symlink_to(init.parent)
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def played(tree: Path, arguments: list[str]) -> Played:
    """What a checkout's battery gave, by kind and name."""
    own = tree / ".venv" / "bin" / "python"
    env = os.environ | {"PYTHONPATH": str(tree), "COLUMNS": "200", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as home:
        command = [own if own.exists() else sys.executable, "-P", __file__, "--play", *arguments]
        found: Played = {}
        with subprocess.Popen(command, cwd=home, env=env, stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout or ():
                what, name, value = json.loads(line.replace(home, "HOME"))
                found[what, name] = value
                print(f"\r{tree.name}: {len(found)} {name[:60]:60}", end="", file=sys.stderr)
    if run.returncode:
        raise SystemExit(f"{tree}: the battery ended with exit code {run.returncode}")
    return found


def lines(value: Any) -> list[str]:
    """A value as JSON, a line for each entry and for each line of a text."""
    told = json.dumps(value, indent=1, ensure_ascii=False)
    return told.replace("\\n", "\n").replace('\\"', '"').splitlines()


def compare(before: Played, after: Played) -> bool:
    """Print how many of each kind are equal, and each kind of difference; True if there is one."""
    counts = defaultdict[str, list[int]](lambda: [0, 0, 0])
    kinds = defaultdict[tuple[str, str], list[tuple[str, str, str]]](list)
    for what, name in before | after:
        pair = [side.get((what, name), "(nothing)") for side in (before, after)]
        counts[what][2 if "(nothing)" in pair else pair[0] == pair[1]] += 1
        a, b = map(lines, pair)
        for _, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            one, other = "\n".join(a[i:j]), "\n".join(b[k:m])
            if one != other and "(nothing)" not in pair:
                masked = re.sub(r"\b[\da-f]{9,}\b|\b[A-Z]\w*|-?[\d.]+", "#", f"{one} → {other}")
                kinds[what, masked].append((name, one, other))
    print(f"\n{'':26}{'compared':>9}{'equal':>9}{'differ':>9}{'in one':>9}")
    for what, (differ, equal, lone) in counts.items():
        print(f"{what:26}{differ + equal:9}{equal:9}{differ:9}{lone:9}")
    for (what, _), found in sorted(kinds.items(), key=lambda kind: -len(kind[1])):
        name, one, other = found[0]
        print(f"\n{what} ×{len(found)}, first in {name[:120]}\n- {one[:400]}\n+ {other[:400]}")
    return any(differ + lone for differ, _, lone in counts.values())


def main() -> None:
    """Play the battery and print what it gives, or compare what two checkouts give."""
    if sys.argv[1] == "--play":
        (_, _, seeds, *parts), out = sys.argv, sys.stdout
        for part in parts or BATTERY:
            for item in BATTERY[part](seeds.split(",")):
                print(json.dumps(item), file=out, flush=True)
        return
    with checkout(sys.argv[1]) as tree, ThreadPoolExecutor(2) as pool:
        asked = sys.argv[2:] or [",".join(SEATS)]
        sys.exit(compare(*pool.map(played, (tree, ROOT), (asked, asked))))


if __name__ == "__main__":
    main()
