"""The notes at a run's start about limits that extensions' settings set for agents."""

from typing import Any

from shapley_coop.cli.console import note


def note_unknown(run: Any) -> None:
    """Note each action that an agent may never do and that the run's game does not have.

    It may be a typing error, and is no error: the limit may be meant for several games.
    """
    from shapley_coop.files import did_you_mean
    from shapley_coop.games.actions import told_actions
    from shapley_coop.state.additions import limits_of
    from shapley_coop.state.settings import config_of, game_of

    config, game = config_of(run.room), game_of(run.room)
    for agent, actions in game.actions.items() if config.extensions else ():
        for action in limits_of(config, agent).never:
            if action not in actions:
                meant = did_you_mean(action, told_actions(actions))
                note(f"{agent} may never do {action!a}, which {game.name} does not have{meant}")
