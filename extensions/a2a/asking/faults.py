"""Error lines that say why a remote agent did not answer, without quoting the agent."""

import re

import httpx
from a2a.utils.errors import A2AError

from shapley_coop.extensions.a2a.asking.card import TOKEN, CardRefused
from shapley_coop.extensions.a2a.asking.reply import TaskFailed
from shapley_coop.seats.faults import AnswerTooLarge, causes
from shapley_coop.seats.seat import Seat

_AGAIN = "resume the run to try again"

_BY_STATUS = {
    401: "refuses the token, or wants one; set {token}",
    403: "gives the token no right to this; look at {token}",
    404: "has no agent at this address; check the URL",
    413: "finds the letter too long; give it less to read (recall)",
    429: "is asked too often; try later",
    503: "is not available now; try later",
}


def described(error: BaseException, seat: Seat, agent: str) -> str:
    """Return a line that names the cause of an error and a remedy.

    Args:
        error: the error from the exchange with the agent; the errors that caused it are read too.
        seat: the seat with the agent's address.
        agent: the agent's name in the game.
    """
    token = TOKEN + re.sub(r"\W", "_", agent).upper()
    found = (_of_cause(cause, seat, token) for cause in causes(error))
    return next(filter(None, found), f"{type(error).__name__}; {_AGAIN}")


def _of_cause(error: BaseException, seat: Seat, token: str) -> str:
    match error:
        case CardRefused() | TaskFailed():
            return f"{error}; {_AGAIN} once it is mended"
        case AnswerTooLarge():
            return f"{error}; look what answers there"
        case httpx.HTTPStatusError():
            status = error.response.status_code
            if 300 <= status < 400:
                return f"HTTP {status}: has moved; give the address that it redirects to"
            words = _BY_STATUS.get(status, f"failed; {_AGAIN}")
            return f"HTTP {status}: {words.format(token=token)}"
        case httpx.TimeoutException():
            return f"it fell silent for {seat.timeout:g} s; raise the seat's timeout"
        case httpx.ConnectError() | httpx.UnsupportedProtocol():
            return "nothing can be reached there; check that it runs, and the URL"
        case httpx.DecodingError():
            return "its answer is compressed, which was not asked for; look what answers there"
        case httpx.RequestError():
            return f"the connection broke off ({type(error).__name__}); {_AGAIN}"
        case A2AError():
            return f"it answered with the error {type(error).__name__}; {_AGAIN}"
        case ValueError() | KeyError() | TypeError() | AttributeError():
            return f"its answer is not A2A's; look what answers there, then {_AGAIN}"
    return ""
