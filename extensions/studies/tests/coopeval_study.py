"""Records in the format of CoopEval, made by the tests; nothing of the study is among them."""

import json
from pathlib import Path
from typing import Any

GAMES: dict[str, dict[str, Any]] = {
    "PrisonersDilemma": {"payoff_matrix": {"CC": [2, 2], "CD": [0, 3], "DC": [3, 0], "DD": [1, 1]}},
    "TrustGame": {"payoff_matrix": {"GG": [9, 9], "GK": [0, 18], "KG": [5, 2], "KK": [4, 4]}},
    "PublicGoods": {"num_players": 3, "multiplier": 1.5},
    "TravellersDilemma": {"min_claim": 2, "num_actions": 3, "claim_spacing": 1, "bonus": 2.0},
}
Row = dict[str, Any]

ANN, BEN = "acme/solar-1(CoT)#P1", "acme/solar-1(IO)#P2"
MEDIATORS = {ANN: ["DEFECT", "COOPERATE"], BEN: ["COOPERATE", "COOPERATE"]}
"""One that punishes who stays away, and one that can be exploited."""


def study(
    folder: Path,
    game: str,
    mechanism: str,
    lines: list[Any],
    designs: dict[str, dict[str, float]] | None = None,
    mediators: dict[str, list[str]] | None = None,
) -> Path:
    """Write one experiment; a line of records is whatever JSON is given.

    Args:
        folder: of the experiment.
        game: its name in the study.
        mechanism: likewise.
        lines: the records.
        designs: who proposed which contract.
        mediators: who proposed which mediator: what it does for one who delegates, for two, …
    """
    folder.mkdir(parents=True)
    config = {
        "game": {"type": game, "kwargs": GAMES.get(game, {})},
        "mechanism": {"type": mechanism, "kwargs": {}},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "records.jsonl").write_text(text, encoding="utf-8")
    if designs is not None:
        told = {
            player: {"response": "thus", "contract": {f"{game}Action.{a}": c for a, c in x.items()}}
            for player, x in designs.items()
        }
        (folder / "contract_design.json").write_text(json.dumps(told), encoding="utf-8")
    if mediators is not None:
        by = {
            player: {"mediator": [(n, f"{game}Action.{a}") for n, a in enumerate(taken, 1)]}
            for player, taken in mediators.items()
        }
        (folder / "mediator_design.json").write_text(json.dumps(by), encoding="utf-8")
    return folder


def moves(game: str, *made: tuple[str, str, float]) -> list[Row]:
    """A round: who, what, and the points that the study gave."""
    return [
        {"player": who, "action": f"{game}Action.{what}", "points": points, "trace_id": "0"}
        for who, what, points in made
    ]


def under_contract(round_: list[Row], designer: str, signed: bool) -> list[Row]:
    """A match under the contract of one player, as a line of the records."""
    players = [move["player"] for move in round_]
    return [
        {
            "votes": [],
            "selected_contract_index": 1,
            "selected_contract_designer_name": designer,
            "signatures": {player: {"agree": signed} for player in players},
            "all_signed": signed,
            "moves": round_,
        }
    ]


PRINTED = r"""
\begin{tabular}{ll||rr}
\textbf{Mechanism} & \textbf{Metric} & Solar-R & Solar-B \\
\midrule
\multirow{2}{*}{\textbf{Mediation}} & NS & 100.0{\scriptsize\color{black!60}$\pm$ 4.2} & 0.0 \\
 & WD & 50.0 & 0.0 \\
\midrule
\multirow{2}{*}{\textbf{Contracting}} & NS & \textbf{100.0}{\scriptsize$\pm$ 0.0} & 100.0 \\
 & WD & \textbf{100.0} & \textcolor{black!60}{0.0}{\scriptsize\color{black!60}$\pm$ 1.0} \\
\end{tabular}
"""
"""A table as the study prints it, of two variants of a model: of contracts and of mediators."""
