"""What an acceptance binds to."""

from shapley_coop.deals.language.deal import Offer
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message

_SHORTEST_HASH = 8


def accepts_another(message: Message, offer: Offer | None) -> Fault | None:
    """Why an acceptance cannot count, if it cannot; None if it accepts the offer that stands.

    It binds to the offer that its author's letter showed. A revision or a hash that it names itself
    has to be that offer's.
    """
    if message.proposal is not None:
        return Fault("ACK", "You cannot accept and propose at once: do one of the two.")
    if offer is None:
        return Fault("VOID", "No offer stands that you could accept.")
    for word in (message.accept or "").split():
        is_hash = len(word) >= _SHORTEST_HASH and offer["hash"].startswith(word)
        if word != str(offer["revision"]) and not is_hash:
            return Fault(
                "STALE",
                f"You accept {word}, but what stands is revision {offer['revision']}, "
                f"hash {offer['hash'][:12]}: write <ACCEPT> alone to accept it.",
            )
    return None
