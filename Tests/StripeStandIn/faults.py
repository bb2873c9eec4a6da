"""Faults on command (`POST /_control/faults`), stored, so that they outlive a restart."""

import fnmatch
import json

from cards import DECLINES
from errors import Failure

# How a request is answered, whatever it asks.
TRANSPORT = {
    "timeoutBefore": "closes the connection; nothing was done",
    "timeoutAfterCommit": "does the work and closes the connection",
    "hold": "waits for /_control/release before the work",
    "holdAfterCommit": "does the work and waits for /_control/release before the answer",
    "status429": "rate limit; nothing was done",
    "status429Lock": "lock_timeout; nothing was done",
    "status500": "nothing was done, and a repetition with the same key is tried anew",
    "status500Recorded": "nothing was done, and a repetition with the same key gets the same answer",
    "status500AfterCommit": "does the work and answers 500; a repetition with the same key gets the work's answer",
    "malformed": "does the work and answers half of the JSON",
}
# What happens to the payment, card or refund of a request.
OUTCOMES = {"cardDeclined": "generic_decline", "insufficientFunds": "insufficient_funds"} | {
    name: name for name in ("requiresAction", "processing", "refundPending", "refundFails", *DECLINES)}


def order(store, wanted):
    name = wanted.get("fault")
    if name not in TRANSPORT and name not in OUTCOMES:
        known = ", ".join([*TRANSPORT, *OUTCOMES])
        raise Failure(400, "invalid_request_error", f"Unknown fault {name}; known are: {known}")
    store.db.execute(
        "INSERT INTO faults (left, skip, body) VALUES (?, ?, ?)",
        (wanted.get("times", 1), wanted.get("skip", 0), json.dumps(wanted)))


def take(store, method, path):
    """The name of the fault that this request meets."""
    for row in store.db.execute("SELECT * FROM faults ORDER BY id").fetchall():
        wanted = json.loads(row["body"])
        if not fnmatch.fnmatchcase(path, wanted.get("path", "*")) or wanted.get("method", method) != method:
            continue
        if row["skip"]:
            store.db.execute("UPDATE faults SET skip = skip - 1 WHERE id = ?", (row["id"],))
            continue
        if row["left"] > 1:
            store.db.execute("UPDATE faults SET left = left - 1 WHERE id = ?", (row["id"],))
        else:
            store.db.execute("DELETE FROM faults WHERE id = ?", (row["id"],))
        return wanted["fault"]
    return None


def answer(name):
    """The error that a request is answered with instead of being performed."""
    if name == "status429":
        return Failure(429, "invalid_request_error", "Request rate limit exceeded. Learn more about rate limits here"
                       " https://stripe.com/docs/rate-limits.", recorded=False, code="rate_limit")
    if name == "status429Lock":
        return Failure(
            429, "invalid_request_error", "This object cannot be accessed right now because another API request or"
            " Stripe process is currently accessing it.", recorded=False, code="lock_timeout")
    if name in ("status500", "status500Recorded"):
        return Failure(500, "api_error", "An unknown error occurred", recorded=name == "status500Recorded")
    return None
