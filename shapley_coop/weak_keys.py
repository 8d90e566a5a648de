"""A check against weak public keys, for which one signature fits every message."""

from typing import Any

_PRIME = 2**255 - 19
_SMALL_ORDER = (
    *(0, 1, _PRIME - 1),
    0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
)
"""The y coordinates of the points of Ed25519's curve whose order divides 8."""

_ED25519_BYTES = 32


def check_strength(key: Any) -> None:
    """Check that no single signature fits every message under an Ed25519 key.

    Args:
        key: a public key of the library cryptography; keys other than Ed25519's are accepted.

    Raises:
        ValueError: the key's point has small order, or is not in canonical form.
    """
    raw = key.public_bytes_raw() if hasattr(key, "public_bytes_raw") else b""
    if len(raw) != _ED25519_BYTES:
        return
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= _PRIME or y in _SMALL_ORDER:
        raise ValueError("the key has a small order, so signatures can be forged: make another")
