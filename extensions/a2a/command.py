"""The command `coop a2a`, which serves an A2A agent that assesses others or is assessed."""

from typing import Annotated

import typer

from shapley_coop.cli.console import note
from shapley_coop.cli.options import BaseUrl
from shapley_coop.extras import require_extra

JUDGE = "judge"
PORT = 9009
What = Annotated[
    str,
    typer.Argument(
        metavar="judge|SEAT",
        help="'judge' to assess other agents; or a seat that answers letters, such as "
        "embedded:rational or openai:gpt-5-mini.",
    ),
]
ListenOn = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(help="The port.", min=1, max=65_535)]
CardUrl = Annotated[
    str,
    typer.Option(help="The address that other agents use; by default the address to listen on."),
]
Seed = Annotated[int, typer.Option(help="The seed of an embedded agent.", min=0)]


def a2a(
    what: What,
    host: ListenOn = "127.0.0.1",
    port: Port = PORT,
    card_url: CardUrl = "",
    base_url: BaseUrl = None,
    seed: Seed = 0,
) -> None:
    """Serve an A2A agent: a judge that assesses other agents, or a seat that others assess.

    The judge takes assessment requests as AgentBeats sends them: JSON with participants and config.
    It sends letters to every address that a request names, so listen only where you trust every
    caller.
    """
    with require_extra("a2a", "coop a2a"):
        import uvicorn

        from shapley_coop.extensions.a2a.serving import agents
    from shapley_coop.cli.options import seats_from
    from shapley_coop.seats.keys import bind_keys
    from shapley_coop.seats.models import check_seat
    from shapley_coop.seats.seat import Seat

    url = card_url or f"http://{host}:{port}/"
    if what == JUDGE:
        bind_keys()  # send no token of this machine to addresses that callers choose
        app = agents.application(agents.Judge(), agents.ASSESSMENT, url)
    else:
        seat = Seat.model_validate(seats_from(what, None, base_url)["*"])
        if seat.human:
            raise ValueError("coop a2a serves no person (coop run does): give a model or a program")
        check_seat(seat)
        app = agents.application(agents.Subject(seat, seed), agents.LETTERS, url)
    note(f"{what}: an A2A agent on {url}")
    uvicorn.run(app, host=host, port=port, log_level="warning")
