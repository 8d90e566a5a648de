"""The extension for portable proofs: signed statements of runs that others recompute.

`statement.statement_of` returns a statement of a run's agreements, actions and settlement, which
`checking.check` recomputes from the statement alone, and `check_page` is a page that does so in a
browser. `docs/verify-format.md` describes the file. In a run, parties with keys sign the offers
that they accept, and mandates, which are limits that principals set for their agents, are enforced
(`addition`). The extra `keys` installs the cryptographic library.

>>> from shapley_coop.extensions.proof.acceptance import binding, is_signed, sign_binding
>>> from shapley_coop.extensions.proof.keys import PrivateKey
>>> bob = PrivateKey.new()
>>> shown = binding(
...     agent="Bob", episode="e1", settings="5f", topic="plan", turn=1, revision=2, accepts="8a8c85"
... )
>>> signature = sign_binding(bob, shown)
>>> signature["keyid"] == bob.public.keyid, is_signed(bob.public, shown, signature)
(True, True)
>>> is_signed(bob.public, {**shown, "episode": "e2"}, signature)
False
"""

from shapley_coop.extension import Extension, Setting

_HERE = "shapley_coop.extensions.proof"

EXTENSION = Extension(
    name="proof",
    about="Keys, mandates and signatures of parties, and signed statements that others recompute.",
    settings={
        "keys": Setting(
            "--key",
            "NAME=key: a key of this home, with which the seat signs what it accepts, or a file of "
            "a public key in PEM, of a party that signs itself.",
            f"{_HERE}.options:key_named",
        ),
        "require_signed": Setting(
            "--require-signed",
            "Whether an offer or acceptance of a party with a key counts only if it is signed.",
        ),
        "mandates": Setting(
            "--mandate",
            "NAME=FILE: what an agent's principal allows it.",
            f"{_HERE}.options:mandate_in",
        ),
    },
    routes={"check": f"{_HERE}.check_route:check_routes"},
    callers={"/check": "anybody"},
    additions={"proof": f"{_HERE}.addition:ADDITION"},
    first=("prove", "check"),
    commands={
        "Check before you sign": {
            "mandate": f"{_HERE}.keys_command:mandate",
            "keys new": f"{_HERE}.keys_command:new",
            "keys list": f"{_HERE}.keys_command:list_",
            "keys show": f"{_HERE}.keys_command:show",
        },
        "Inspect and verify": {
            "prove": f"{_HERE}.prove_command:prove",
            "check": f"{_HERE}.check_command:check",
        },
    },
)
