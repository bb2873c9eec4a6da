"""Idempotency keys: the recorded answer for 24 hours (docs.stripe.com/api/idempotent_requests)."""

import json

from errors import Failure

KEPT_FOR = 86_400


def check_length(key):
    if len(key) > 255:
        raise Failure(400, "invalid_request_error", "Idempotency keys can be at most 255 characters.", recorded=False)


def in_use(key):
    return Failure(
        409, "invalid_request_error",
        "There is currently another in-progress request using this Stripe Idempotent Key (that probably means you"
        f" submitted twice, and the other request is still going through): {key}. Please try again later.",
        recorded=False, code="idempotency_key_in_use")


def recorded(store, key, endpoint, params):
    """The recorded answer.

    - Raises: if the first request with the key was another one.
    """
    row = store.db.execute("SELECT * FROM idempotency WHERE key = ?", (key,)).fetchone()
    if row is None or row["created"] + KEPT_FOR <= store.now():
        return None
    if row["endpoint"] != endpoint:
        raise mismatch(f"the same endpoint they were first used for ('{endpoint}' vs '{row['endpoint']}')", key)
    if row["params"] != canonical(params):
        raise mismatch("the same parameters they were first used with", key)
    return row


def mismatch(what, key):
    return Failure(
        400, "idempotency_error",
        f"Keys for idempotent requests can only be used with {what}. Try using a key other than '{key}' if you meant"
        " to execute a different request.", recorded=False)


def record(store, key, endpoint, params, status, body):
    store.db.execute(
        "INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?, ?, ?, ?)",
        (key, store.now(), endpoint, canonical(params), status, json.dumps(body), store.request))


def canonical(params):
    return json.dumps(params, sort_keys=True)
