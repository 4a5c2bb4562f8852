"""A right engine with bad manners: `python unruly.py MANNER`."""

from __future__ import annotations

import json
import os
import sys
import time

from engine import answer

manner = sys.argv[1] if len(sys.argv) > 1 else ""


def behave(number: int, request: dict[str, object]) -> None:
    """Do what an engine should not do, before the answer to the request of that number."""
    if manner == "crashes" and number % 150 == 0:
        print("boom", file=sys.stderr)
        os._exit(7)
    if manner == "hangs" and number == 40:
        time.sleep(60)
    if manner == "leaves" and number > 150:
        sys.exit(0)
    if manner == "chatters":
        print("thinking…\n[1, 2\n\n7")
        print(json.dumps({"id": "another", "need": []}))
    if manner == "complains":
        sys.stderr.write("x" * 100_000 + "\n")
    if manner == "raves":
        sys.stdout.buffer.write(b"\xff\xfe" * 500 + b"\n" + b"[" * 5000 + b"\n")


def main() -> None:
    for number, line in enumerate(sys.stdin, start=1):
        request = json.loads(line)
        behave(number, request)
        if manner == "mumbles" and request["op"] == "count":
            print(f'{{"id": {request["id"]}, "count": NaN}}', flush=True)
            continue
        if manner == "babbles":
            print("no answer at all")
            continue
        if manner == "shrugs" or (manner == "lists" and request["op"] != "list"):
            error = {"code": "unknown_op", "message": "no", "path": "$.op"}
            print(json.dumps({"id": request["id"], "ok": False, "error": error}), flush=True)
            continue
        if manner == "plays-465-only" and request.get("edition", "465") != "465":
            error = {"code": "unknown_edition", "message": "no", "path": "$.edition"}
            print(json.dumps({"id": request["id"], "ok": False, "error": error}), flush=True)
            continue
        response = {"id": request["id"], "ok": True, **answer(request)}
        if manner == "anonymous":
            del response["id"]
        if manner == "miscounts" and "count" in response:
            response["count"] += 1000
        if manner == "floats":
            response = json.loads(json.dumps(response), parse_int=float)
        if manner == "numbers" and response.get("legal") is False:
            response["violations"] = [{"rule": "465.2.c.3"}]
        if manner == "fails-politely":
            response = {"id": request["id"], "ok": False, "error": {"code": "bad_request"}}
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
