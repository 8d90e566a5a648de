"""Keys and signatures of parties: who bound itself to what, for anybody to verify.

>>> from shapley_coop.deals.signing import PrivateKey, binding, is_signed, sign_binding
>>> bob = PrivateKey.new()
>>> shown = binding(
...     agent="Bob", episode="e1", settings="5f", topic="plan", turn=1, revision=2, accepts="8a8c85"
... )
>>> signature = sign_binding(bob, shown)
>>> signature["keyid"] == bob.public.keyid, is_signed(bob.public, shown, signature)
(True, True)
>>> is_signed(bob.public, {**shown, "episode": "e2"}, signature)
False

Signatures are those of DSSE envelopes over canonical JSON (RFC 8785); `docs/verify.md` verifies
them with openssl and with node. The extra `keys` brings the library, which is loaded when needed.
"""

from typing import TYPE_CHECKING

from shapley_coop.lazily import offered

if TYPE_CHECKING:
    from shapley_coop.deals.signing.acceptance import (
        Binding,
        Signature,
        binding,
        element,
        is_signed,
        sign_binding,
        signature_in,
        without_signature,
    )
    from shapley_coop.deals.signing.envelope import (
        Envelope,
        as_bytes,
        read_envelope,
        sign_envelope,
    )
    from shapley_coop.deals.signing.keys import (
        Algorithm,
        PrivateKey,
        PublicKey,
        read_public,
    )
    from shapley_coop.deals.signing.mandate import (
        Mandate,
        SignedMandate,
        read_mandate,
        sign_mandate,
    )
else:
    __getattr__ = offered(__name__, __file__)

__all__ = [
    "Algorithm",
    "Binding",
    "Envelope",
    "Mandate",
    "PrivateKey",
    "PublicKey",
    "Signature",
    "SignedMandate",
    "as_bytes",
    "binding",
    "element",
    "is_signed",
    "read_envelope",
    "read_mandate",
    "read_public",
    "sign_binding",
    "sign_envelope",
    "sign_mandate",
    "signature_in",
    "without_signature",
]
