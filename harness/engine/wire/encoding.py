"""Messages as JSON, whatever texts they hold.

Texts come from backends, command lines and file systems, and may hold lone surrogates,
which JSON does not. They arrive as escapes; see `harness.text.encodable`.
"""

from typing import Any, Final

import msgspec

from harness.text import encodable

_encoder: Final = msgspec.json.Encoder()


def json_of(message: msgspec.Struct) -> bytes:
    """`message` as JSON, with lone surrogates in its texts as escapes."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return _encoder.encode(_encodable(msgspec.to_builtins(message)))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
