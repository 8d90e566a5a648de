"""The program that writes `docs/evidence.md`: figures from replays of published records.

    python -m shapley_coop.extensions.studies.evidence --raids raid-*.json --company log.json \\
        --coopeval DIR --printed TABLE.tex --arena DIR --page docs/evidence.md

Each line of the page is computed from a record that an option names. The records are not copied.
The page names each record with the SHA-256 of the files read, so that readers can compare their
own copies.
"""

import argparse
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from shapley_coop.extensions.studies.company_log import import_company_log, negotiation_beside
from shapley_coop.extensions.studies.coopeval import Imported, import_study
from shapley_coop.extensions.studies.coopeval_printed import (
    DILEMMAS,
    compared,
    printed_table,
    rates_of_mechanisms,
)
from shapley_coop.extensions.studies.coopeval_records import (
    CONFIG,
    DESIGNS,
    MEDIATORS,
    RECORDS,
    without_records,
)
from shapley_coop.extensions.studies.negotiation_arena import protection, replay_study
from shapley_coop.extensions.studies.raid_log import import_raid_log

RAIDS = "https://github.com/hyyh28/game_theory_llm"
COMPANY = "https://github.com/hyyh28/ShapleyCoop"
COOPEVAL = "https://github.com/Xiao215/CoopEval"
ARENA = "https://github.com/vinid/NegotiationArena"

HEAD = """# Evidence others can check

Published records, replayed by this code: our rules, settlement and certificates agree with them.
The figures say nothing about any model. The records are not part of this project; each is named
with the SHA-256 of the files read. `python -m shapley_coop.extensions.studies.evidence` writes this
page.

| claim | record | command | figure |
|---|---|---|---|
"""

TAIL = f"""
Where the records are from:

- raid logs: [game_theory_llm]({RAIDS});
- company logs: [ShapleyCoop]({COMPANY});
- CoopEval: [CoopEval]({COOPEVAL}), `data/main_study`, and its table in `latex`;
- NegotiationArena: [NegotiationArena]({ARENA}), branch `paper_experiment_code`,
  with its folders of errors and of excess runs. A deal is bad if by the record's own numbers an
  agent ends with less than before, or gives or pays what it does not have. In a swap each unit of
  anything counts as 1, so every uneven swap is bad.
"""


class Shown(NamedTuple):
    """One line of the page: a claim, the record with its digest, a command, and its result."""

    claim: str
    record: str
    command: str
    figure: str

    def row(self) -> str:
        """Return the line as a row of a Markdown table."""
        cells = (self.claim, self.record, f"`{self.command}`", self.figure)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def of_raid(file: Path) -> Shown:
    """Return the line that compares a raid's log with its replay by our rules."""
    log = import_raid_log(file)
    differ = len(log.mismatches)
    same = sum(log.tally[a] == made for a, made in log.contributions.items())
    return Shown(
        "Our rules reproduce the logged raid",
        _named(file.name, [file]),
        f"coop import raid-log {file.name}",
        f"{differ} mismatches in {len(log.record)} turns; the contributions of {same} of "
        f"{len(log.contributions)} heroes equal the log's own amounts",
    )


def of_company(file: Path) -> Shown:
    """Return the line of evidence on the split that the agents of a company agreed on."""
    company = import_company_log(file)
    read = sum(said.split is not None for said in company.messages)
    decided = ", ".join(f"{role} {float(part):g}" for role, part in company.rewards.items())
    return Shown(
        "The negotiation is read to its decision",
        _named(file.name, [file, *([beside] if (beside := negotiation_beside(file)) else [])]),
        f"coop import company-log {file.name}",
        f"{read} of {len(company.messages)} messages propose a split that sums to 100 %; decided: "
        f"{decided or 'nothing that can be read'}",
    )


def of_coopeval(folder: Path, printed: Path | None) -> Iterator[Shown]:
    """Yield the lines about CoopEval: rounds settled, designs certified, printed rates compared."""
    command = "coop import coopeval DIR"
    found = import_study(folder)
    rounds = [each for one in found for each in one.settled]
    differ = sum(len(one.differing) for one in found)
    files = [one.experiment.folder / name for one in found for name in (RECORDS, CONFIG)]
    contracts = [one for one in found if one.experiment.designs]
    mediators = [one for one in found if one.experiment.mediators]
    designs = [one.experiment.folder / DESIGNS for one in contracts]
    yield Shown(
        "Every recorded round ends with our rules as the study recorded it",
        _named(f"CoopEval, {len(found)} folders", [*files, *designs], folder),
        command,
        f"{len(rounds) - differ} of {len(rounds)} rounds, "
        f"{sum(one.round.signed for one in rounds)} of them under a signed contract; "
        f"{len(without_records(folder))} more folders had no records here",
    )
    refused = sum(bool(x.refused) for one in contracts for x in one.proposed)
    yield Shown(
        "Contracts that the models proposed, certified",
        _named("CoopEval, contracts", designs, folder),
        command,
        f"{_counts(contracts, 'cooperation')}; our table would refuse {refused}, as payers could "
        "not pay",
    )
    yield Shown(
        "Mediators that the models proposed, certified",
        _named("CoopEval, mediators", [x.experiment.folder / MEDIATORS for x in mediators], folder),
        command,
        _counts(mediators, "delegating"),
    )
    if printed:
        cells = compared(printed_table(printed), rates_of_mechanisms(found, DILEMMAS))
        yield Shown(
            "The study's printed rates of stable and dominant contracts and mediators are ours",
            _named(printed.name, [printed]),
            f"{command} --printed {printed.name}",
            f"{sum(cell.agrees for cell in cells)} of {len(cells)} percentages",
        )


def _counts(found: Sequence[Imported], what: str) -> str:
    proposed = [one for each in found for one in each.proposed]
    stable, dominant = (
        sum(getattr(one, key) is True for one in proposed) for key in ("stable", "dominant")
    )
    return f"of {len(proposed)}: {what} is stable in {stable}, dominant in {dominant}"


def of_arena(folder: Path) -> Iterator[Shown]:
    """Yield a line per kind of game on whether our checks would have stopped bad deals."""
    found, unreadable = replay_study(folder)
    for one in protection(found):
        kind, games = one["kind"], one["games"]
        files = [Path(x.record.where) for x in found if x.record.kind == kind]
        bad = " (bad by definition where uneven)" if kind == "swap" else ""
        yield Shown(
            f"Our checks stop every bad {kind} by trading models{bad}, and no good one",
            _named(f"NegotiationArena, {games} games", files, folder),
            "coop import negotiation-arena DIR",
            f"{one['bad_stopped']} of {one['bad']} bad ones stopped, {one['good_let_through']} of "
            f"{one['good']} good ones let through; {one['offers_asked_back']} of {one['offers']} "
            f"offers asked back; {games - one['differing']} of {games} outcomes are those "
            f"recorded; {len(unreadable)} records of all kinds left out, unfinished or unreadable",
        )


def _named(name: str, files: Sequence[Path], root: Path | None = None) -> str:
    """Return a record's name with a digest of its files: their contents, and paths below `root`."""
    total = sha256()
    for file in sorted(files):
        where = file.relative_to(root).as_posix() if root else file.name
        total.update(f"{where}\n{sha256(file.read_bytes()).hexdigest()}\n".encode())
    digest = sha256(files[0].read_bytes()) if len(files) == 1 and not root else total
    return f"{name} ({digest.hexdigest()[:12]})"


def main(given: Sequence[str] | None = None) -> None:
    """Write the page from the given records."""
    parser = argparse.ArgumentParser(description="Write docs/evidence.md from the given records.")
    parser.add_argument("--raids", type=Path, nargs="*", default=[], help="logs of raids")
    parser.add_argument("--company", type=Path, nargs="*", default=[], help="logs of companies")
    parser.add_argument("--coopeval", type=Path, help="a folder of CoopEval's records")
    parser.add_argument("--printed", type=Path, help="CoopEval's LaTeX table of contracts")
    parser.add_argument("--arena", type=Path, help="a folder of NegotiationArena's records")
    parser.add_argument("--page", type=Path, required=True, help="the page to write")
    told = parser.parse_args(given)
    try:
        shown = [*map(of_raid, told.raids), *map(of_company, told.company)]
        shown += of_coopeval(told.coopeval, told.printed) if told.coopeval else ()
        shown += of_arena(told.arena) if told.arena else ()
    except ValueError as error:
        parser.error(str(error))
    if not shown:
        parser.error("no record is given: name one of --raids, --company, --coopeval, --arena")
    lines = "".join(f"{one.row()}\n" for one in shown)
    told.page.write_text(f"{HEAD}{lines}{TAIL}", encoding="utf-8")


if __name__ == "__main__":
    main()
