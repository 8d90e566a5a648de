"""The connection to one agent, which sends A2A requests."""

from collections.abc import AsyncIterator, Mapping

import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import GetTaskRequest, Message, SendMessageRequest, Task
from a2a.utils.constants import TransportProtocol
from a2a.utils.errors import TaskNotFoundError

from shapley_coop.extensions.a2a.asking.card import Card, CardRefused, read_card, token_of
from shapley_coop.extensions.a2a.asking.http import client
from shapley_coop.extensions.a2a.asking.letter import EXTENSION
from shapley_coop.extensions.a2a.asking.reply import follow
from shapley_coop.extensions.a2a.costs import BUDGET
from shapley_coop.seats.seat import Seat

TRANSPORTS = [TransportProtocol.JSONRPC, TransportProtocol.HTTP_JSON]


class Link:
    """A connection to one remote agent, over A2A.

    Attributes:
        card: the agent's card.
    """

    def __init__(self, card: Card, http: httpx.AsyncClient, agent: Client) -> None:
        self.card, self._http, self._agent = card, http, agent
        named = ServiceParametersFactory.create([with_a2a_extensions([EXTENSION])])
        self._context = ClientCallContext(service_parameters=named)

    @classmethod
    async def to(cls, seat: Seat, agent: str) -> "Link":
        """Read an agent's card and connect to it.

        Raises:
            CardRefused: the card cannot be trusted, or offers no protocol in `TRANSPORTS`.
            httpx.HTTPError: the card cannot be read.
        """
        http = client(token_of(seat, agent), seat.timeout)
        try:
            card = await read_card(seat, http)
            streams = card.agent.capabilities.streaming
            # An agent without streaming returns a task at once, which the caller polls.
            config = ClientConfig(
                streaming=streams,
                polling=not streams,
                httpx_client=http,
                supported_protocol_bindings=[str(one.value) for one in TRANSPORTS],
            )
            try:
                made = ClientFactory(config).create(card.agent)
            except ValueError:
                spoken = ", ".join(one.value for one in TRANSPORTS)
                raise CardRefused(f"its card supports none of {spoken}") from None
        except BaseException:
            await http.aclose()
            raise
        return cls(card, http, made)

    async def send(
        self, message: Message, budget: Mapping[str, float]
    ) -> AsyncIterator[Task | Message]:
        """Send a message; yield the task or the agent's message after each event of the reply.

        Args:
            message: the message.
            budget: what the answer may cost (`costs.BUDGET`); empty for no limit.
        """
        request = SendMessageRequest(message=message)
        if budget:
            request.metadata.update({BUDGET: dict(budget)})
        task = Task()
        async for event in self._agent.send_message(request, context=self._context):
            found = follow(task, event)
            yield found

    async def task(self, number: str) -> Task | None:
        """Return the current state of a task, or None if the agent does not know the task."""
        try:
            return await self._agent.get_task(GetTaskRequest(id=number), context=self._context)
        except TaskNotFoundError:
            return None

    async def close(self) -> None:
        """Close the connection."""
        await self._http.aclose()
