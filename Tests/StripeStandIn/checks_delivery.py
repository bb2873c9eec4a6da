"""What the stand-in does with events, idempotency keys, faults and crashes."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import stripe

from standin import DAY, START, Shop, StandIn, check, client, raw, refusal, same

FORM = "amount=2000&currency=usd&payment_method=pm_card_visa&confirm=true"


def post(s, key, form=FORM, path="/v1/payment_intents"):
    return raw(s.url, "POST", path, form, headers={"Idempotency-Key": key})


def silent(call):
    """Whether a call ends without an answer."""
    try:
        call()
    except OSError:
        return True
    return False


# Idempotency


@check("a repeated key gets the recorded answer, marked as replayed, and charges once")
def _(s):
    _, first, body = post(s, "k1")
    status, headers, again = post(s, "k1")
    same((status, again, headers["Idempotent-Replayed"]), (200, body, "true"))
    same(headers["Original-Request"], first["Request-Id"])
    same(first["Idempotent-Replayed"], None)
    same(len(s.api.charges.list().data), 1)


@check("the recorded answer is that of the moment, also when it was a decline")
def _(s):
    options = {"idempotency_key": "k"}
    first = refusal(lambda: s.pay(card="pm_card_visa_chargeDeclined", options=options))
    again = refusal(lambda: s.pay(card="pm_card_visa_chargeDeclined", options=options))
    same(again.error.payment_intent["id"], first.error.payment_intent["id"])
    same(len(s.api.charges.list().data), 1)


@check("a key with other parameters or at another path is an idempotency_error")
def _(s):
    s.pay(2000, options={"idempotency_key": "k"})
    same(type(refusal(lambda: s.pay(2001, options={"idempotency_key": "k"}))), stripe.IdempotencyError)
    status, _, body = post(s, "k", path="/v1/setup_intents", form="")
    same((status, body["error"]["type"]), (400, "idempotency_error"))


@check("a key is forgotten after 24 hours")
def _(s):
    s.pay(options={"idempotency_key": "k"})
    s.advance(DAY - 1)
    same(post(s, "k", form="amount=1&currency=usd")[0], 400)
    s.advance(1)
    s.pay(options={"idempotency_key": "k"})
    same(len(s.api.charges.list().data), 2)


@check("parameters that are not valid are not recorded: the key can be used for the request put right")
def _(s):
    same(post(s, "k", form="amount=abc&currency=usd")[0], 400)
    same(post(s, "k")[0], 200)


@check("a key in flight is 409; afterwards the answer is there")
def _(s):
    s.fail("/v1/payment_intents", "hold")
    answers = []
    thread = threading.Thread(target=lambda: answers.append(post(s, "k")))
    thread.start()
    while s.control("faults")["data"]:
        time.sleep(0.005)
    status, headers, body = post(s, "k")
    same((status, body["error"]["code"]), (409, "idempotency_key_in_use"))
    s.control("release", {})
    thread.join()
    same(answers[0][0], 200)
    same(post(s, "k")[2]["id"], answers[0][2]["id"])


@check("a key of more than 255 characters is refused")
def _(s):
    same(post(s, "k" * 256)[0], 400)


# Faults


@check("timeoutAfterCommit did the work: the repetition with the same key gets its answer")
def _(s):
    s.fail("/v1/payment_intents", "timeoutAfterCommit")
    assert silent(lambda: post(s, "k"))
    same(len(s.api.charges.list().data), 1)
    status, headers, body = post(s, "k")
    same((status, body["status"], headers["Idempotent-Replayed"]), (200, "succeeded", "true"))
    same(len(s.api.charges.list().data), 1)


@check("timeoutBefore did nothing")
def _(s):
    s.fail("/v1/payment_intents", "timeoutBefore")
    assert silent(lambda: post(s, "k"))
    same(len(s.api.charges.list().data), 0)
    same(post(s, "k")[0], 200)


@check("Stripe's own client repeats after a lost answer, and is charged once")
def _(s):
    s.fail("/v1/payment_intents", "timeoutAfterCommit", times=2)
    patient = stripe.StripeClient("sk_test_x", base_addresses={"api": s.url}, max_network_retries=3).v1
    intent = patient.payment_intents.create(
        {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True})
    same(intent.status, "succeeded")
    same(len(s.api.charges.list().data), 1)


@check("500: repeated anew, or recorded, or after the work was done")
def _(s):
    s.fail("/v1/payment_intents", "status500")
    same([post(s, "a")[0], post(s, "a")[0]], [500, 200])
    s.fail("/v1/payment_intents", "status500Recorded")
    same([post(s, "b")[0], post(s, "b")[0]], [500, 500])
    s.fail("/v1/payment_intents", "status500AfterCommit")
    same([post(s, "c")[0], post(s, "c")[0]], [500, 200])
    same(len(s.api.charges.list().data), 2)


@check("429 and half an answer")
def _(s):
    s.fail("/v1/payment_intents", "status429")
    same(type(refusal(s.pay)), stripe.RateLimitError)
    s.fail("/v1/payment_intents", "malformed")
    same(refusal(s.pay).http_status, 200)


@check("a fault meets the requests of its path and method, as often as ordered, after those to skip")
def _(s):
    s.fail("/v1/payment_intents/*/confirm", "cardDeclined", times=1, skip=1, method="POST")
    intents = [s.api.payment_intents.create({"amount": 1000, "currency": "usd", "payment_method": "pm_card_visa"})
               for _ in range(3)]
    same(s.api.payment_intents.confirm(intents[0].id).status, "succeeded")
    same(refusal(s.api.payment_intents.confirm, intents[1].id).code, "card_declined")
    same(s.api.payment_intents.confirm(intents[2].id).status, "succeeded")
    same([one["fault"] for one in s.control("requests")["data"]][-3:], [None, "cardDeclined", None])


# Webhooks


@check("delivered events carry a signature that Stripe's client accepts, and no other secret's")
def _(s):
    s.pay()
    with Shop() as shop:
        same(s.control("deliver", {"url": shop.url})["due"], 0)
        same(shop.types(), ["payment_intent.created", "charge.succeeded", "payment_intent.succeeded"])
        same(shop.events[2].data.object.status, "succeeded")
    s.pay()
    with Shop(secret="whsec_other") as shop:
        s.control("deliver", {"url": shop.url})
        same({type(one) for one in shop.failures}, {stripe.SignatureVerificationError})


@check("the tolerance of a signature holds for the time that the command names")
def _(s):
    s.pay()
    for at, accepted in ((int(time.time()), True), (int(time.time()) - 600, False)):
        one = s.control("attempts", {"at": at})["data"][0]
        error = None
        try:
            stripe.Webhook.construct_event(one["body"], one["signature"], "whsec_test")
        except stripe.SignatureVerificationError as refused:
            error = refused
        same(error is None, accepted)


@check("events arrive in reverse, shuffled, doubled")
def _(s):
    s.pay()
    with Shop() as shop:
        s.control("deliver", {"url": shop.url, "order": "desc"})
        same(shop.types(), ["payment_intent.succeeded", "charge.succeeded", "payment_intent.created"])
    for _ in range(3):
        s.pay()
    with Shop() as shop:
        s.control("deliver", {"url": shop.url, "order": "shuffle", "seed": 7, "duplicates": 4})
        same((len(shop.events), len({event.id for event in shop.events})), (13, 9))


@check("refused and lost deliveries are repeated with growing pauses for three days, and then given up")
def _(s):
    s.pay()
    with Shop(status=500) as shop:
        pauses = []
        while True:
            s.control("deliver", {"url": shop.url})
            waiting = s.control("events?undelivered=true")["data"]
            if not waiting:
                break
            now = s.control("clock")["now"]
            pauses.append(waiting[0]["next"] - now)
            s.control("clock", {"now": waiting[0]["next"]})
        same(pauses[:4], [60, 300, 1800, 7200])
        same(pauses, sorted(pauses))
        assert 2.5 * DAY < s.control("clock")["now"] - START <= 3 * DAY
    same(len(s.api.events.list().data), 3)


@check("a dropped delivery counts as an attempt and arrives later")
def _(s):
    s.pay()
    with Shop() as shop:
        s.control("deliver", {"url": shop.url, "drop": 2})
        same(len(shop.events), 1)
        s.advance(60)
        s.control("deliver", {"url": shop.url})
        same(len({event.id for event in shop.events}), 3)
        same(s.control("events?undelivered=true")["data"], [])


@check("delayed events are due later")
def _(s):
    s.control("settings", {"delivery_delay": 100})
    s.pay()
    same(s.control("attempts", {})["data"], [])
    s.advance(100)
    same(len(s.control("attempts", {})["data"]), 3)


@check("a registered endpoint gets its types of events by itself, signed with its own secret")
def _(s):
    with Shop() as shop:
        endpoint = s.api.webhook_endpoints.create({"url": shop.url, "enabled_events": ["payment_intent.succeeded"]})
        shop.secret = endpoint.secret
        s.pay()
        deadline = time.monotonic() + 120
        while s.control("events?undelivered=true")["data"] and time.monotonic() < deadline:
            time.sleep(0.01)
        same((shop.types(), shop.failures), (["payment_intent.succeeded"], []))


@check("deliveries to an endpoint are lost, doubled and out of order by a setting, and all arrive in the end")
def _(s):
    s.control("settings", {"disorder": {"drop": 0.3, "double": 0.3, "shuffle": True, "seed": 5}})
    with Shop() as shop:
        shop.secret = s.api.webhook_endpoints.create({"url": shop.url}).secret
        for _ in range(10):
            s.pay()
        deadline = time.monotonic() + 120
        while (waiting := s.control("events?undelivered=true")["data"]) and time.monotonic() < deadline:
            s.control("clock", {"now": max(entry["next"] for entry in waiting)})
        same(len({event.id for event in shop.events}), 30)
        assert len(shop.events) > 30, "none was doubled"
        assert s.control("clock")["now"] > START, "none was lost"


@check("events are listed by type, and name the request and the key that caused them")
def _(s):
    s.pay(options={"idempotency_key": "k"})
    events = s.api.events.list({"type": "payment_intent.succeeded"}).data
    same([event.request.idempotency_key for event in events], ["k"])
    assert events[0].request.id.startswith("req_")
    same(len(s.api.events.list({"types": ["charge.succeeded", "payment_intent.created"]}).data), 2)


# Crashes


@check("killed with signal 9 and started again, it keeps objects, events, keys, faults and the clock")
def _(s):
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-u", os.path.join(os.path.dirname(os.path.abspath(__file__)), "server.py"),
                   "--database", os.path.join(folder, "stripe.sqlite"), "--clock", str(START)]

        def start():
            process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
            return process, json.loads(process.stdout.readline())["url"]

        process, url = start()
        other = StandInAt(url)
        first = post(other, "k")[2]
        other.advance(100)
        other.fail("/v1/refunds", "status500")
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process, url = start()
        other = StandInAt(url)
        try:
            same(post(other, "k")[2], first)
            same(len(other.api.charges.list().data), 1)
            same(len(other.types()), 3)
            same(other.control("clock")["now"], START + 100)
            same(refusal(other.api.refunds.create, {"payment_intent": first["id"]}).http_status, 500)
            same(other.api.refunds.create({"payment_intent": first["id"]}).status, "succeeded")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


class StandInAt(StandIn):
    """A stand-in in another process."""

    def __init__(self, url):
        self.url, self.api = url, client(url)
