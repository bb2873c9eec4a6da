"""Events: what happened, as the object was at that moment (docs.stripe.com/api/events)."""

import hashlib
import hmac
import json

import forms
from lists import page
from routes import listing, route
from store import public

API_VERSION = "2025-03-31.basil"
# Seconds until the next attempt after each failed one; the last is repeated until three days have passed.
BACKOFF = (60, 300, 1800, 7200, 18_000, 36_000, 43_200)
GIVES_UP_AFTER = 3 * 86_400


def emit(store, type, object, previous=None):
    data = {"object": store.snapshot(object)}
    if previous is not None:
        data["previous_attributes"] = previous
    endpoints = store.select("webhook_endpoint", newest=False)
    chosen = [one["id"] for one in endpoints if {"*", type} & set(one["enabled_events"]) and one["status"] == "enabled"]
    # Without endpoints, events wait for `/_control/deliver`.
    targets = chosen if endpoints else [""]
    event = store.new(
        "evt", "event", api_version=API_VERSION, data=data, pending_webhooks=len(targets),
        request={"id": store.request, "idempotency_key": store.key}, type=type,
    )
    for endpoint in targets:
        store.db.execute(
            "INSERT INTO deliveries (event, endpoint, created, attempts, next, state) VALUES (?, ?, ?, 0, ?, 'due')",
            (event["id"], endpoint, store.now(), store.now() + store.setting("delivery delay", 0)),
        )


def changes(before, after):
    """The former values of the fields that differ."""
    before, after = public(before), public(after)
    return {name: before.get(name) for name in after if before.get(name) != after[name]}


class watching:
    """Emits an `…updated` event if the object differs at the end."""

    def __init__(self, store, type, object):
        self.store, self.type, self.object = store, type, object

    def __enter__(self):
        self.before = self.store.snapshot(self.object)

    def __exit__(self, kind, error, trace):
        if kind is None and (previous := changes(self.before, self.object)):
            emit(self.store, self.type, self.object, previous)


def payload(event):
    return json.dumps(public(event), indent=2)


def signature(body, secret, at):
    """The field `Stripe-Signature`; `v0` is what Stripe adds in test mode."""
    value = hmac.new(secret.encode(), f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={at},v1={value},v0={hashlib.sha256(value.encode()).hexdigest()}"


def record_attempt(store, delivery, status):
    """What an attempt of a delivery came to; `status` is `None` if no answer came."""
    if delivery["state"] != "due":
        return
    attempts = delivery["attempts"] + 1
    state, next = "due", store.now() + BACKOFF[min(attempts, len(BACKOFF)) - 1]
    if status is not None and 200 <= status < 300:
        state, next = "delivered", None
    elif next > delivery["created"] + GIVES_UP_AFTER:
        state, next = "abandoned", None
    store.db.execute(
        "UPDATE deliveries SET attempts = ?, next = ?, state = ? WHERE id = ?", (attempts, next, state, delivery["id"])
    )
    if state == "delivered":
        event = store.find(delivery["event"])
        event["pending_webhooks"] = store.db.execute(
            "SELECT count(*) FROM deliveries WHERE event = ? AND state = 'due'", (event["id"],)
        ).fetchone()[0]


@listing("/v1/events", "type types delivery_success")
def list_events(store, params):
    types = forms.sequence(params, "types") or None
    return page(store, params, "event", "/v1/events", type=forms.text(params, "type") or types)


@route("GET", "/v1/events/{id}")
def get_event(store, params, id):
    return store.get(id, "event")
