"""Deliveries of events: out of order, doubled and dropped on command, retried for three days of the clock."""

import asyncio
import random

import aiohttp

import forms
from events import payload, record_attempt, signature
from lists import page
from routes import listing, route
from store import token

FIELDS = "url enabled_events description metadata disabled api_version connect"


def due(store, endpoint=""):
    return store.db.execute(
        "SELECT d.*, o.seq AS position FROM deliveries d JOIN objects o ON o.id = d.event"
        " WHERE d.state = 'due' AND d.next <= ? AND d.endpoint = ? ORDER BY o.seq", (store.now(), endpoint),
    ).fetchall()


def take(store, wanted):
    """The deliveries that a command attempts now, in its order.

    `order`: `asc`, `desc`, `shuffle`; `duplicates`: how many are attempted twice; `drop`: how many are lost on the way
    and count as attempts without an answer; `types`; `limit`; `seed`; `at`: the signatures' time.
    """
    chance = random.Random(wanted.get("seed", 0))
    rows = due(store)
    if types := wanted.get("types"):
        rows = [row for row in rows if store.find(row["event"])["type"] in types]
    if wanted.get("order") == "desc":
        rows.reverse()
    elif wanted.get("order") == "shuffle":
        chance.shuffle(rows)
    rows = rows[: wanted.get("limit", len(rows))]
    for lost in chance.sample(rows, min(wanted.get("drop", 0), len(rows))):
        rows.remove(lost)
        record_attempt(store, lost, None)
    for twice in chance.sample(rows, min(wanted.get("duplicates", 0), len(rows))):
        rows.insert(chance.randint(rows.index(twice) + 1, len(rows)), twice)
    return [attempt(store, row, store.setting("webhook secret"), wanted.get("at")) for row in rows]


def attempt(store, row, secret, at=None):
    event = store.find(row["event"], "event")
    body = payload(event)
    return {"delivery": row["id"], "event": event["id"], "type": event["type"], "body": body,
            "signature": signature(body, secret, at or store.now())}


def report(store, delivery, status):
    row = store.db.execute("SELECT * FROM deliveries WHERE id = ?", (delivery,)).fetchone()
    if row:
        record_attempt(store, row, status)
    return bool(row)


async def send(session, url, attempt):
    """The status of the answer; `None` if there is none."""
    headers = {"Content-Type": "application/json; charset=utf-8", "Stripe-Signature": attempt["signature"],
               "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)"}
    try:
        async with session.post(url, data=attempt["body"].encode(), headers=headers) as answer:
            await answer.read()
            return answer.status
    except (aiohttp.ClientError, asyncio.TimeoutError, OSError):
        return None


async def deliver_on_command(store, session, wanted):
    with store.transaction():
        attempts = take(store, wanted)
    answers = []
    for one in attempts:
        status = await send(session, wanted["url"], one)
        with store.transaction():
            report(store, one["delivery"], status)
        answers.append({"event": one["event"], "type": one["type"], "status": status})
    return {"attempts": answers, "due": len(due(store))}


def disordered(store, rows):
    """The deliveries to endpoints as `settings` want them: some lost, some doubled, in any order."""
    wanted = store.setting("disorder")
    if not wanted:
        return rows
    chance = random.Random(f"{wanted.get('seed', 0)} {[(row['id'], row['attempts']) for row in rows]}")
    for row in list(rows):
        if chance.random() < wanted.get("drop", 0):
            rows.remove(row)
            record_attempt(store, row, None)
        elif chance.random() < wanted.get("double", 0):
            rows.append(row)
    if wanted.get("shuffle"):
        chance.shuffle(rows)
    return rows


async def deliver_to_endpoints(store, session):
    """Sends what is due to the registered endpoints. Only then do attempts take place by themselves."""
    for endpoint in [row["endpoint"] for row in store.db.execute(
            "SELECT DISTINCT endpoint FROM deliveries WHERE state = 'due' AND endpoint <> '' AND next <= ?",
            (store.now(),)).fetchall()]:
        with store.transaction():
            target = store.find(endpoint, "webhook_endpoint")
            target = store.snapshot(target) | {"secret": target["_secret"]} if target else None
            rows = disordered(store, due(store, endpoint))
            attempts = [attempt(store, row, target["secret"]) for row in rows] if target else []
            if target is None:
                store.db.execute("UPDATE deliveries SET state = 'abandoned' WHERE endpoint = ?", (endpoint,))
        for one in attempts:
            status = await send(session, target["url"], one)
            with store.transaction():
                report(store, one["delivery"], status)


@route("POST", "/v1/webhook_endpoints", FIELDS)
def create(store, params):
    endpoint = store.new(
        "we", "webhook_endpoint", api_version=None, application=None, description=forms.text(params, "description"),
        enabled_events=forms.sequence(params, "enabled_events") or ["*"], metadata=forms.metadata(params),
        status="enabled", url=forms.needed(params, "url"), _secret=f"whsec_{token(32)}")
    # The secret is shown once.
    return endpoint | {"secret": endpoint["_secret"]}


@route("GET", "/v1/webhook_endpoints/{id}")
def get(store, params, id):
    return store.get(id, "webhook_endpoint")


@route("POST", "/v1/webhook_endpoints/{id}", FIELDS)
def update(store, params, id):
    endpoint = store.get(id, "webhook_endpoint")
    endpoint["url"] = forms.text(params, "url", endpoint["url"])
    endpoint["enabled_events"] = forms.sequence(params, "enabled_events") or endpoint["enabled_events"]
    if "disabled" in params:
        endpoint["status"] = "disabled" if forms.boolean(params, "disabled") else "enabled"
    return endpoint


@route("DELETE", "/v1/webhook_endpoints/{id}")
def delete(store, params, id):
    store.get(id, "webhook_endpoint")
    store.loaded.pop(id)
    store.db.execute("DELETE FROM objects WHERE id = ?", (id,))
    return {"id": id, "object": "webhook_endpoint", "deleted": True}


@listing("/v1/webhook_endpoints")
def list_endpoints(store, params):
    return page(store, params, "webhook_endpoint", "/v1/webhook_endpoints")
