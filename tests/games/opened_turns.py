"""What a game says of the turns at which an action is open, held against what it admits."""

from shapley_coop.games import Game


def admits_what_it_calls_open(game: Game) -> None:
    position = game.start()
    for turn in range(1, game.turns + 1):
        for agent in game.agents:
            for action in game.legal(position, agent):
                spans = game.open_turns(agent, action)
                assert spans is None or any(a <= turn <= b for a, b in spans), (agent, action)
        position = game.step(position, {}).position
