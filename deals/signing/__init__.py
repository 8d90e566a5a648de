"""Keys and signatures of parties: who bound itself to what, for anybody to verify.

>>> from shapley_coop.deals.signing.acceptance import binding, is_signed, sign_binding
>>> from shapley_coop.deals.signing.keys import PrivateKey
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
