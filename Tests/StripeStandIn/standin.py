"""Starts stand-ins in this process for the checks, and receives their webhooks."""

import asyncio
import http.server
import json
import threading
import types
import urllib.error
import urllib.request

import stripe

import server

START = 1_767_225_600
DAY = 86_400
LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()
CHECKS = []


def on_loop(work):
    return asyncio.run_coroutine_threadsafe(work, LOOP).result(120)


class StandIn:
    """A fresh stand-in and a client of it."""

    def __init__(self, *arguments):
        self.url, self.end = on_loop(server.start(server.parse(["--clock", str(START), *arguments])))
        self.api = client(self.url)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        on_loop(self.end())

    def control(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_control/{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def fail(self, path, fault, times=1, **more):
        self.control("faults", {"path": path, "fault": fault, "times": times, **more})

    def advance(self, seconds):
        self.control("advance", {"seconds": seconds})

    def types(self, prefix=""):
        """The types of all events so far, in order."""
        found = [entry["event"]["type"] for entry in self.control("events")["data"]]
        return [type for type in found if type.startswith(prefix)]

    def customer(self, card="pm_card_visa"):
        customer = self.api.customers.create({"name": "Ada"})
        method = self.api.payment_methods.attach(card, {"customer": customer.id})
        return self.api.customers.update(
            customer.id, {"invoice_settings": {"default_payment_method": method.id}})

    def pay(self, amount=2000, card="pm_card_visa", options=None, **fields):
        fields = {"amount": amount, "currency": "usd", "payment_method": card, "confirm": True} | fields
        return self.api.payment_intents.create(fields, options)

    def price(self, id="price_a", amount=1000, interval="month"):
        self.control("prices", {"id": id, "amount": amount, "currency": "usd", "interval": interval})
        return id

    def subscribe(self, customer, price="price_a", **fields):
        fields = {"customer": customer.id, "items": [{"price": price}]} | fields
        return self.api.subscriptions.create({**fields, "expand": ["latest_invoice.payment_intent"]})


def client(url, key="sk_test_shop"):
    return stripe.StripeClient(key, base_addresses={"api": url}, max_network_retries=0).v1


def raw(url, method, path, form="", key="sk_test_shop", headers=None):
    """A request without Stripe's client: (status, headers, JSON)."""
    request = urllib.request.Request(
        url + path, data=form.encode() if method == "POST" else None, method=method,
        headers={"Authorization": f"Bearer {key}", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read() or "null")


def refusal(call, *arguments):
    """The error that a call is refused with."""
    try:
        call(*arguments)
    except stripe.StripeError as error:
        return error
    raise AssertionError("was not refused")


def same(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


class Shop:
    """Receives webhooks, verifies them with Stripe's client, and answers `status`."""

    def __init__(self, secret="whsec_test", status=200):
        shop = self
        self.secret, self.status, self.events, self.failures = secret, status, [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    # The stand-in's clock is not the client's.
                    event = stripe.Webhook.construct_event(
                        body, self.headers["Stripe-Signature"], shop.secret, tolerance=None)
                    shop.events.append(event)
                except Exception as error:
                    shop.failures.append(error)
                self.send_response(shop.status)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()

    def types(self):
        return [event.type for event in self.events]


def check(title):
    def register(body):
        CHECKS.append(types.SimpleNamespace(title=title, body=body))
        return body

    return register
