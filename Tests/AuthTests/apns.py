"""A push service as Apple describes it, over HTTP/2 with TLS: prints what it is sent as one line of JSON each.

apns.py PORT CERTIFICATE KEY
"""

import asyncio
import json
import sys

from hypercorn.asyncio import serve
from hypercorn.config import Config

answers = {"gone": (410, "Unregistered"), "bad": (400, "BadDeviceToken"), "busy": (429, "TooManyRequests")}
busy = {"left": 1}


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = b""
    while True:
        event = await receive()
        body += event.get("body", b"")
        if not event.get("more_body"):
            break
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    token = scope["path"].rsplit("/", 1)[-1]
    kind = {"a" * 64: "good", "b" * 64: "gone", "c" * 64: "bad", "d" * 64: "busy"}.get(token, "good")
    status, reason = answers.get(kind, (200, ""))
    if kind == "busy":
        busy["left"] -= 1
        if busy["left"] < 0:
            status, reason = 200, ""
    print(json.dumps({"http": scope["http_version"], "method": scope["method"], "kind": kind, "status": status,
                      "path": scope["path"], "headers": headers, "body": json.loads(body)}))
    content = json.dumps({"reason": reason}).encode() if reason else b""
    await send({"type": "http.response.start", "status": status, "headers": [(b"apns-id", headers["apns-id"].encode())]})
    await send({"type": "http.response.body", "body": content})


async def main():
    config = Config()
    config.bind = [f"127.0.0.1:{sys.argv[1]}"]
    config.certfile, config.keyfile = sys.argv[2], sys.argv[3]
    config.loglevel = "CRITICAL"
    server = asyncio.create_task(serve(app, config))
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
            writer.close()
            break
        except OSError:
            await asyncio.sleep(0.02)
    print("ready")
    await server


asyncio.run(main())
