"""The readers of the options `--key` and `--mandate` of `coop run`."""

from shapley_coop.files import read_text


def key_named(key: str) -> str:
    """Return the PEM text if `key` names a file, else `key`: the name of a key of this home.

    Raises:
        ValueError: the file cannot be read.
    """
    named_file = key.endswith(".pem") or "/" in key
    return read_text(key, "a public key") if named_file else key


def mandate_in(file: str) -> str:
    """Return the mandate in a file.

    Raises:
        ValueError: the file cannot be read.
    """
    return read_text(file, "a mandate")
