"""Records made by others go through the command line."""

import json

LEVEL_1 = {
    "runs": [
        {
            "A1": {"damage": d1, "healing": h1, "taunt": t1},
            "A2": {"damage": d2, "healing": 0, "taunt": t2},
            "A3": {"damage": d3, "healing": 0, "taunt": t3},
            "A4": {"damage": d4, "healing": h4, "taunt": t4},
        }
        for d1, h1, t1, d2, t2, d3, t3, d4, h4, t4 in [
            (474, 183, 900, 652, 600, 560, 600, 368, 764, 0),
            (511, 0, 600, 630, 300, 472, 300, 491, 0, 300),
            (667, 0, 300, 392, 600, 493, 300, 500, 0, 300),
        ]
    ]
}
"""Contributions at level 1 under LLM+SC, three runs (Shapley-Coop, appendix B.1)."""


def test_the_level_1_table_yields_the_printed_shares(coop, tmp_path):
    file = tmp_path / "runs.json"
    file.write_text(json.dumps(LEVEL_1), encoding="utf-8")
    done = coop("credit", str(file), "--json")
    shares = json.loads(done.out)["shares"]
    assert [f"{100 * shares[a]:.2f}" for a in ("A1", "A2", "A3", "A4")] == [
        "29.52",
        "26.09",
        "22.16",
        "22.22",
    ]


def test_credit_of_a_missing_coalition_is_refused_in_one_line(coop, tmp_path):
    file = tmp_path / "game.json"
    file.write_text('{"agents": ["A", "B"], "worth": {"A": 1}}', encoding="utf-8")
    done = coop("credit", str(file))
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1


def test_an_invalid_message_gets_its_label_and_feedback(coop, tmp_path):
    file = tmp_path / "message.txt"
    file.write_text('<PROPOSAL>{"Alice": ["x"], "Bob": ["y"]}</PROPOSAL>', encoding="utf-8")
    done = coop("validate", "paper_cooperative", "--message", str(file), "--as", "Alice", "--json")
    assert done.code == 1
    assert json.loads(done.out)["label"] == "UNK"


def test_a_scenario_shows_its_secrets_only_when_asked(coop):
    assert "utilities" not in json.loads(
        coop("scenario", "show", "paper_competitive", "--json").out
    )
    told = json.loads(coop("scenario", "show", "paper_competitive", "--secrets", "--json").out)
    assert max(told["utilities"]["Alice"].values()) == 1


def test_settle_git_splits_a_bounty_to_the_last_cent(coop, tmp_path):
    from tests.games.repository.history_builder import build_large

    repo = tmp_path / "repo"
    build_large(repo, commits=40)
    comment = tmp_path / "comment.md"
    done = coop(
        *("settle-git", str(repo), "--bounty", "500", "--currency", "EUR"),
        *("--markdown", str(comment), "--json"),
    )
    amounts = [float(one["amount"]) for one in json.loads(done.out)["contributors"].values()]
    assert len(amounts) > 1
    assert round(sum(amounts) * 100) == 50_000
    assert "500" in comment.read_text(encoding="utf-8")
