"""Payoff files that several tests play."""

from typing import Any

TUG: dict[str, Any] = {
    "name": "tug",
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": ["pull", "wait"], "Ben": ["pull", "wait"]},
    "payoffs": [
        {"play": ["pull", "pull"], "pays": [0, 0]},
        {"play": ["pull", "wait"], "pays": [3, -1]},
        {"play": ["wait", "pull"], "pays": [-1, 3]},
        {"play": ["wait", "wait"], "pays": [1, 1]},
    ],
}
