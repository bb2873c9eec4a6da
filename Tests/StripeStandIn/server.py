"""A stand-in of Stripe's API. See README.md.

    server.py [--port 0] [--database PATH] [--clock SECONDS] [--key sk_test_…] [--webhook-secret whsec_…]

Prints one line of JSON with its URL, and `ready`.
"""

import argparse
import asyncio
import base64
import hmac
import json
import os
import sys
import traceback

import aiohttp
from aiohttp import web

sys.dont_write_bytecode = True

import charges, control, customers, disputes, events, invoices, payment_intents, payment_methods, prices  # noqa
import refunds, setup_intents, subscriptions, webhooks  # noqa
import faults
import forms
import idempotency
from errors import Failure, unauthorized
from lists import expanded
from routes import match, run_jobs
from store import Store, public, token


class Server:
    def __init__(self, store, key):
        self.store, self.key = store, key
        self.in_flight = set()
        self.released, self.changed = asyncio.Event(), asyncio.Event()
        self.session, self.is_ending = None, False

    async def api(self, request):
        """A request of Stripe's API."""
        store, method, path = self.store, request.method, request.path
        key = request.headers.get("Idempotency-Key") if method == "POST" else None
        headers = {"Request-Id": f"req_{token(14)}", "Stripe-Version": events.API_VERSION}
        if key:
            headers["Idempotency-Key"] = key
        text = request.query_string if method in ("GET", "DELETE") else await request.text()
        fault, claimed = None, False
        try:
            params = forms.decode(text or request.query_string)
            route, arguments = match(method, path)
            self.authorize(request, route, params, arguments)
            fault = faults.take(store, method, path)
            if key:
                idempotency.check_length(key)
                if key in self.in_flight:
                    raise idempotency.in_use(key)
                self.in_flight.add(key)
                claimed = True
            if fault == "timeoutBefore":
                return self.close(request, fault)
            if fault == "hold":
                await self.released.wait()
            if key and (row := idempotency.recorded(store, key, path, params)):
                headers |= {"Idempotent-Replayed": "true", "Original-Request": row["request"]}
                status, body = row["status"], json.loads(row["body"])
            else:
                status, body = self.perform(headers["Request-Id"], key, path, route, arguments, params, fault)
            if fault == "holdAfterCommit":
                await self.released.wait()
        except Failure as failure:
            status, body = failure.status, {"error": failure.error}
        finally:
            if claimed:
                self.in_flight.discard(key)
        self.log(method, path, key, status, fault)
        if fault == "timeoutAfterCommit":
            return self.close(request, fault)
        if fault == "status500AfterCommit":
            status, body = 500, {"error": {"type": "api_error", "message": "An unknown error occurred"}}
        if status in (409, 429):
            headers["Stripe-Should-Retry"] = "true"
        text = json.dumps(body, indent=2) + "\n"
        if fault == "malformed":
            text = text[: len(text) // 2]
        return web.Response(status=status, text=text, headers=headers, content_type="application/json")

    def perform(self, request_id, key, path, route, arguments, params, fault):
        """Does the work and records the answer in one transaction."""
        store = self.store
        store.request, store.key, store.forced = request_id, key, faults.OUTCOMES.get(fault)
        recorded = True
        try:
            with store.transaction():
                try:
                    if failure := faults.answer(fault):
                        raise failure
                    route.check(params)
                    body = route.handler(store, params, **arguments)
                    status, body = 200, expanded(store, body, forms.sequence(params, "expand"))
                except Failure as failure:
                    if not failure.commits:
                        store.undo()
                    status, body, recorded = failure.status, {"error": public(failure.error)}, failure.recorded
                except Exception:
                    traceback.print_exc()
                    store.undo()
                    status, recorded = 500, False
                    body = {"error": {"type": "api_error", "message": "The stand-in failed; see its standard error."}}
                if status >= 400:
                    body["error"]["request_log_url"] = f"https://dashboard.stripe.com/test/logs/{request_id}"
                if key and recorded:
                    idempotency.record(store, key, path, params, status, body)
        finally:
            store.request, store.key, store.forced = None, None, None
        run_jobs(store, store.now())
        self.changed.set()
        return status, body

    def authorize(self, request, route, params, arguments):
        field = request.headers.get("Authorization", "")
        scheme, _, value = field.partition(" ")
        if scheme.lower() == "basic":
            value = base64.b64decode(value).decode().partition(":")[0]
        if not value:
            raise unauthorized(
                "You did not provide an API key. You need to provide your API key in the Authorization header, using"
                " Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').")
        if value.startswith("pk_test_") and route.publishable:
            if "id" in arguments:
                object = self.store.find(arguments["id"])
                self.store.loaded.clear()
                secret = (object or {}).get("client_secret", "")
                if not secret or not hmac.compare_digest(secret, str(params.get("client_secret", ""))):
                    raise unauthorized("The client_secret provided does not match any associated object.")
            return
        if not (value == self.key if self.key else value.startswith(("sk_test_", "rk_test_"))):
            raise unauthorized(f"Invalid API Key provided: {value[:8]}****")

    def close(self, request, fault):
        """Ends the connection without an answer."""
        request.transport.abort()
        raise web.HTTPServiceUnavailable()

    def log(self, method, path, key, status, fault):
        self.store.db.execute(
            "INSERT INTO requests (method, path, key, status, fault) VALUES (?, ?, ?, ?, ?)",
            (method, path, key, status, fault))

    async def control(self, request):
        store, path = self.store, request.match_info["path"]
        try:
            wanted = json.loads(await request.text() or "{}")
            if request.method == "POST" and path == "deliver":
                answer = await webhooks.deliver_on_command(store, self.session, wanted)
            elif request.method == "POST" and path == "release":
                self.released.set()
                self.released = asyncio.Event()
                answer = {"released": True}
            else:
                answer = control.perform(store, request.method, path, dict(request.query), wanted)
                run_jobs(store, store.now())
            self.changed.set()
            return web.json_response(answer)
        except Failure as failure:
            return web.json_response({"error": failure.error}, status=failure.status)
        except (KeyError, TypeError, ValueError) as error:
            return web.json_response({"error": {"message": f"{type(error).__name__}: {error}"}}, status=400)

    async def bank(self, request):
        """The page to which a buyer is sent for 3-D Secure; `?outcome=succeed` is the button."""
        id, outcome = request.match_info["id"], request.query.get("outcome")
        if outcome is None:
            page = '<p>Pay?</p><a href="?outcome=succeed">Complete</a> <a href="?outcome=fail">Fail</a>'
            return web.Response(text=page, content_type="text/html")
        kind = "setup_intents" if id.startswith("seti_") else "payment_intents"
        intent = control.perform(self.store, "POST", f"{kind}/{id}/authenticate", {}, {"outcome": outcome})
        self.changed.set()
        url = self.store.find(id)["_return_url"]
        self.store.loaded.clear()
        if url is None:
            return web.Response(text=intent["status"])
        name = id.split("_")[0].replace("pi", "payment_intent").replace("seti", "setup_intent")
        raise web.HTTPFound(f"{url}{'&' if '?' in url else '?'}{name}={id}")

    async def work(self):
        """Jobs and deliveries that become due, as the clock runs."""
        while not self.is_ending:
            try:
                run_jobs(self.store, self.store.now())
                await webhooks.deliver_to_endpoints(self.store, self.session)
            except Exception:
                traceback.print_exc()
            try:
                await asyncio.wait_for(self.changed.wait(), 0.5)
            except asyncio.TimeoutError:
                pass
            self.changed.clear()


async def start(options):
    """Listens, and returns the URL and what ends it."""
    store = Store(options.database, options.clock)
    server = Server(store, options.key)
    app = web.Application(client_max_size=1 << 22)
    app.router.add_route("*", "/_control/{path:.+}", server.control)
    app.router.add_get("/_bank/{id}", server.bank)
    app.router.add_route("*", "/{path:.*}", server.api)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", options.port).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    store.set("url", url)
    store.set("webhook secret", options.webhook_secret)
    server.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=120))
    worker = asyncio.create_task(server.work())

    async def end():
        server.is_ending = True
        server.changed.set()
        await worker
        await server.session.close()
        await runner.cleanup()
        store.db.close()

    return url, end


def parse(arguments=None):
    parser = argparse.ArgumentParser(description="A stand-in of Stripe's API.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--database", default=":memory:", help="a file that outlives the program")
    parser.add_argument("--clock", type=int, help="seconds since 1970 at which the clock stands until it is moved")
    parser.add_argument("--key", help="the only secret key; any sk_test_… by default")
    parser.add_argument("--webhook-secret", default="whsec_test")
    parser.add_argument("--with-parent", action="store_true", help="ends with the program that started it")
    return parser.parse_args(arguments)


async def main(options):
    url, _ = await start(options)
    print(json.dumps({"url": url}), flush=True)
    print("ready", flush=True)
    parent = os.getppid()
    while not options.with_parent or os.getppid() == parent:
        await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(main(parse()))
