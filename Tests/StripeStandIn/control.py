"""The control API, `/_control/…` in JSON: faults, the clock, buyers, banks and the post office, on command."""

import json

import disputes
import faults
import payment_intents
import prices
import refunds
import setup_intents
import webhooks
from errors import Failure, invalid
from routes import run_jobs
from store import public

COMMANDS = {}


def command(method, path):
    def register(handler):
        COMMANDS[method, path] = handler
        return handler

    return register


def perform(store, method, path, query, wanted):
    """Answers a command; one part of its path may be an id."""
    handler, id = COMMANDS.get((method, path)), []
    if handler is None:
        parts = path.split("/")
        for index in range(1, len(parts)):
            pattern = "/".join([*parts[:index], "*", *parts[index + 1:]])
            if handler := COMMANDS.get((method, pattern)):
                id = [parts[index]]
                break
    if handler is None:
        raise Failure(404, "invalid_request_error", f"No such command: {method} /_control/{path}")
    if handler is advance or handler is set_clock:
        return handler(store, query, wanted)
    with store.transaction():
        return public(handler(store, query, wanted, *id))


# The clock


@command("GET", "clock")
def get_clock(store, query, wanted):
    return {"now": store.now()}


@command("POST", "clock")
def set_clock(store, query, wanted):
    """Moves the clock forward to a time; what becomes due on the way happens at its own time."""
    run_jobs(store, max(int(wanted["now"]), store.now()))
    return {"now": store.now()}


@command("POST", "advance")
def advance(store, query, wanted):
    run_jobs(store, store.now() + int(wanted["seconds"]))
    return {"now": store.now()}


# Faults


@command("POST", "faults")
def order_fault(store, query, wanted):
    faults.order(store, wanted)
    return get_faults(store, query, wanted)


@command("GET", "faults")
def get_faults(store, query, wanted):
    rows = store.db.execute("SELECT * FROM faults ORDER BY id").fetchall()
    return {"data": [{**json.loads(row["body"]), "times": row["left"], "skip": row["skip"]} for row in rows]}


@command("DELETE", "faults")
def clear_faults(store, query, wanted):
    store.db.execute("DELETE FROM faults")
    return {"data": []}


@command("GET", "requests")
def get_requests(store, query, wanted):
    """What was asked of the API, oldest first; `?path=` for one path."""
    rows = store.db.execute("SELECT * FROM requests ORDER BY id").fetchall()
    return {"data": [dict(row) for row in rows if query.get("path", row["path"]) == row["path"]]}


# Settings


@command("POST", "settings")
def set_settings(store, query, wanted):
    """`retry_days` and `final` of dunning, `delivery_delay` of new events in seconds, `disorder` of deliveries."""
    known = {"retry_days": "retry days", "final": "dunning ends", "delivery_delay": "delivery delay",
             "disorder": "disorder"}
    for name, value in wanted.items():
        if name not in known:
            raise invalid(f"Unknown setting {name}; known are: {', '.join(known)}")
        store.set(known[name], value)
    return wanted


@command("POST", "prices")
def make_price(store, query, wanted):
    """A price with an id of the caller's choice, which Stripe itself does not offer."""
    product = prices.product(store, wanted.get("name", wanted["id"]))
    return prices.price(
        store, product["id"], wanted["amount"], wanted["currency"].lower(), wanted.get("interval"),
        wanted.get("interval_count", 1), prices.unused(store, wanted["id"]))


# Buyers and banks


@command("POST", "payment_intents/*/authenticate")
def authenticate(store, query, wanted, id):
    intent = store.get(id, "payment_intent")
    payment_intents.authenticate(store, intent, outcome(wanted) == "succeed")
    return intent


@command("POST", "payment_intents/*/settle")
def settle(store, query, wanted, id):
    """The end of `processing`."""
    intent = store.get(id, "payment_intent")
    payment_intents.finish_processing(store, intent, outcome(wanted) == "succeed")
    return intent


@command("POST", "setup_intents/*/authenticate")
def authenticate_setup(store, query, wanted, id):
    intent = store.get(id, "setup_intent")
    try:
        setup_intents.authenticate(store, intent, outcome(wanted) == "succeed")
    except Failure as failure:
        if not failure.commits:
            raise
    return intent


def outcome(wanted):
    if wanted.get("outcome") not in ("succeed", "fail"):
        raise invalid("outcome must be succeed or fail", "outcome")
    return wanted["outcome"]


@command("POST", "refunds/*")
def finish_refund(store, query, wanted, id):
    refund = store.get(id, "refund")
    if wanted.get("status") == "succeeded":
        refunds.succeed(store, refund)
    elif wanted.get("status") == "failed":
        refunds.fail(store, refund, wanted.get("failure_reason", "expired_or_canceled_card"))
    else:
        raise invalid("status must be succeeded or failed", "status")
    return refund


@command("POST", "refunds")
def refund_in_dashboard(store, query, wanted):
    """A refund that the shop did not ask for: the owner made it in Stripe's dashboard."""
    return refunds.create(store, {name: str(value) for name, value in wanted.items()})


@command("POST", "disputes")
def make_dispute(store, query, wanted):
    if charge := wanted.get("charge"):
        charge = store.get(charge, "charge", "charge")
    else:
        intent = store.get(wanted.get("payment_intent", ""), "payment_intent", "payment_intent")
        charge = store.get(intent["latest_charge"] or "", "charge")
    return disputes.create(store, charge, wanted.get("amount"), wanted.get("reason", "fraudulent"))


@command("POST", "disputes/*")
def close_dispute(store, query, wanted, id):
    dispute = store.get(id, "dispute")
    if wanted.get("status") not in ("won", "lost"):
        raise invalid("status must be won or lost", "status")
    disputes.close(store, dispute, wanted["status"])
    return dispute


# Events


@command("GET", "events")
def get_events(store, query, wanted):
    """Events, oldest first, with what their deliveries came to; `?undelivered=true` for those still to deliver."""
    rows = store.db.execute(
        "SELECT d.*, o.body FROM deliveries d JOIN objects o ON o.id = d.event ORDER BY o.seq").fetchall()
    chosen = [row for row in rows if query.get("undelivered") != "true" or row["state"] == "due"]
    return {"data": [{"delivery": row["id"], "state": row["state"], "attempts": row["attempts"], "next": row["next"],
                      "endpoint": row["endpoint"], "event": json.loads(row["body"])} for row in chosen]}


@command("POST", "attempts")
def take_attempts(store, query, wanted):
    """What `deliver` would send, for a caller that delivers itself and reports to `attempts/<delivery>`."""
    return {"data": webhooks.take(store, wanted)}


@command("POST", "attempts/*")
def report_attempt(store, query, wanted, id):
    return {"known": webhooks.report(store, int(id), wanted.get("status"))}


# Books


@command("GET", "books")
def get_books(store, query, wanted):
    """What moved, per currency: amounts charged, refunded and disputed, fees, and the balance they leave."""
    books = {}
    for entry in store.select("balance_transaction", newest=False):
        book = books.setdefault(entry["currency"], {
            "charges": 0, "refunds": 0, "disputes": 0, "fees": 0, "balance": 0, "charge_count": 0, "refund_count": 0})
        part = {"charge": "charges", "refund": "refunds", "refund_failure": "refunds", "adjustment": "disputes"}
        sign = 1 if entry["type"] == "charge" else -1
        book[part[entry["type"]]] += sign * entry["amount"]
        book["fees"] += entry["fee"]
        book["balance"] += entry["net"]
        counts = {"charge": ("charge_count", 1), "refund": ("refund_count", 1), "refund_failure": ("refund_count", -1)}
        if entry["type"] in counts:
            name, step = counts[entry["type"]]
            book[name] += step
    return books
