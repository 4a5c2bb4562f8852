"""A stream of requests to a stream of responses: newline-delimited JSON, one line for one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from rules.errors import BadRequest
from rules.wire import parse_json, recognized, refuse_repeated_keys
from solver.answers import answer, encode
from solver.limits import LimitReached, allow_long_numbers

_CHUNK: Final = 1 << 16


def serve(
    requests: BinaryIO,
    responses: BinaryIO,
    *,
    time_limit: float | None = None,
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Answer every line of `requests` on `responses`, in order, until the input ends.

    `defaults` are fields of a request that has none of its own.

    What has been answered is flushed whenever no further input is waiting. A bad line gets an error
    response and the next is still served.
    """
    allow_long_numbers()
    for block in _blocks(requests):
        for line in block:
            responses.write(respond(line, time_limit=time_limit, defaults=defaults) + b"\n")
        responses.flush()


def respond(
    line: bytes,
    *,
    time_limit: float | None = None,
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> bytes:
    """The response to one line, as one line without its end."""
    name: Any = None
    try:
        known = recognized(line)
        request = parse_json(line) if known is None else known
        if isinstance(request, dict):
            name = request.get("id")
        if known is None:
            refuse_repeated_keys(line, request)
        if defaults and isinstance(request, dict):
            request = {**defaults, **request}
        response = answer(request, time_limit=time_limit)
    except BadRequest as fault:
        error = fault.code, fault.message, fault.path or "$"
    except LimitReached as cut:
        error = "limit", cut.why, "$"
    except RecursionError:
        error = "bad_request", "the JSON is nested too deeply", "$"
    else:
        return encode({"id": name, "ok": True, **response})
    told = dict(zip(("code", "message", "path"), error, strict=True))
    return encode({"id": name, "ok": False, "error": told})


def _blocks(stream: BinaryIO) -> Iterator[list[bytes]]:
    """The lines that have arrived, as often as the stream would otherwise have to wait."""
    read = getattr(stream, "read1", stream.read)
    begun: list[bytes] = []
    while chunk := read(_CHUNK):
        first, *others = chunk.split(b"\n")
        begun.append(first)
        if others:
            yield [b"".join(begun), *others[:-1]]
            begun = [others[-1]]
    if last := b"".join(begun):
        yield [last]
