"""Keys for signatures: Ed25519, or ECDSA on P-256 with SHA-256 (ES256), in openssl's PEM format.

A key's id is the SHA-256 of its public part in DER (SubjectPublicKeyInfo), in hexadecimal:
`openssl pkey -pubin -in bob.pub.pem -outform DER | sha256sum`.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from shapley_coop.extras import require_extra
from shapley_coop.weak_keys import check_strength

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import (
        EllipticCurvePrivateKey,
        EllipticCurvePublicKey,
    )
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

Algorithm = Literal["Ed25519", "ES256"]

MOST_PEM_CHARS = 10_000
_WHO = "a key or a signature"
_KINDS = "give an Ed25519 key, or one on P-256"


@dataclass(frozen=True)
class PublicKey:
    """The public part of a key.

    Attributes:
        pem: the public part, in PEM.
    """

    pem: str

    @cached_property
    def keyid(self) -> str:
        """The key's id: the SHA-256 of its DER, in hexadecimal."""
        return hashlib.sha256(self._der).hexdigest()

    @property
    def algorithm(self) -> Algorithm:
        """The signature algorithm of the key."""
        return "ES256" if hasattr(self._key, "curve") else "Ed25519"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Return whether a signature of a message was made with this key.

        Args:
            message: the signed bytes.
            signature: the 64 bytes of an Ed25519 signature, or the DER of an ES256 signature.
        """
        with require_extra("keys", _WHO):
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
            from cryptography.hazmat.primitives.hashes import SHA256
        key: Any = self._key
        try:
            if self.algorithm == "ES256":
                key.verify(signature, message, ECDSA(SHA256()))
            else:
                key.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    @cached_property
    def _key(self) -> "Ed25519PublicKey | EllipticCurvePublicKey":
        key: Ed25519PublicKey | EllipticCurvePublicKey = _public(self.pem)
        return key

    @cached_property
    def _der(self) -> bytes:
        _, serialization = _library()
        formats = serialization.PublicFormat.SubjectPublicKeyInfo
        der: bytes = self._key.public_bytes(serialization.Encoding.DER, formats)
        return der


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """A private key. Its `repr` does not show the key, so that no log can contain it."""

    _key: "Ed25519PrivateKey | EllipticCurvePrivateKey"

    @classmethod
    def new(cls, algorithm: Algorithm = "Ed25519") -> "PrivateKey":
        """Return a new random key.

        Raises:
            LibraryMissing: the extra `keys` is not installed.
        """
        asymmetric, _ = _library()
        if algorithm == "ES256":
            return cls(asymmetric.ec.generate_private_key(asymmetric.ec.SECP256R1()))
        return cls(asymmetric.ed25519.Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, pem: str, source: str = "the key") -> "PrivateKey":
        """Return a key from PEM (PKCS #8) without a password.

        Args:
            pem: the content of the file.
            source: the name of the file in errors.

        Raises:
            ValueError: the text is not a private key of a supported kind.
        """
        asymmetric, serialization = _library()
        try:
            key = serialization.load_pem_private_key(pem.encode(), password=None)
        except Exception:  # a parser's message may quote the private key
            raise ValueError(f"{source} contains no private key in PEM: {_KINDS}") from None
        if not _is_known(key, asymmetric.ed25519.Ed25519PrivateKey):
            raise ValueError(f"{source} contains a key of another kind: {_KINDS}")
        return cls(key)

    @property
    def public(self) -> PublicKey:
        """The public part of the key."""
        _, serialization = _library()
        formats = serialization.PublicFormat.SubjectPublicKeyInfo
        pem = self._key.public_key().public_bytes(serialization.Encoding.PEM, formats)
        return PublicKey(pem.decode())

    def pem(self) -> str:
        """Return the key in PEM (PKCS #8, without a password)."""
        _, serialization = _library()
        pem: bytes = self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return pem.decode()

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message: 64 bytes of Ed25519, or DER of ES256."""
        with require_extra("keys", _WHO):
            from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
            from cryptography.hazmat.primitives.hashes import SHA256
        key: Any = self._key
        signature: bytes = (
            key.sign(message, ECDSA(SHA256())) if hasattr(key, "curve") else key.sign(message)
        )
        return signature


def read_public(pem: str, source: str = "the key") -> PublicKey:
    """Return a public key from PEM, in the form that `openssl pkey -pubout` writes.

    Args:
        pem: the content of the file.
        source: the name of the file in errors.

    Raises:
        ValueError: the text is a private key, or no public key of a supported kind.
        LibraryMissing: the extra `keys` is not installed.
    """
    _, serialization = _library()
    if "PRIVATE KEY" in pem:
        raise ValueError(f"{source} contains a private key: give the public key (coop keys show)")
    try:
        key = _public(pem)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    formats = serialization.PublicFormat.SubjectPublicKeyInfo
    return PublicKey(key.public_bytes(serialization.Encoding.PEM, formats).decode())


def _public(pem: str) -> Any:
    asymmetric, serialization = _library()
    try:
        key = serialization.load_pem_public_key(pem[:MOST_PEM_CHARS].encode())
    except Exception:  # the library raises several types of errors for invalid keys
        raise ValueError(f"it is not a public key in PEM: {_KINDS}") from None
    if not _is_known(key, asymmetric.ed25519.Ed25519PublicKey):
        raise ValueError(f"it is a key of another kind: {_KINDS}")
    check_strength(key)
    return key


def _is_known(key: Any, ed25519: type) -> bool:
    return isinstance(key, ed25519) or getattr(getattr(key, "curve", None), "name", "") == (
        "secp256r1"
    )


def _library() -> tuple[Any, Any]:
    with require_extra("keys", _WHO):
        from cryptography.hazmat.primitives import asymmetric, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519  # noqa: F401
    return asymmetric, serialization
