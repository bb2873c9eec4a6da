"""What payments and time bring to a subscription: renewals, dunning, expiry, the end."""

import invoices
import prorations
from customers import on_deleted
from events import changes, emit, watching
from items import items_of, period_lines, show
from periods import after
from routes import job

ENDED = ("canceled", "incomplete_expired")
# Days after the first attempt of a renewal at which it is repeated, and what follows the last.
RETRY_DAYS = (3, 5, 7)


# What the payment of an invoice means


def paid(store, invoice):
    subscription = store.get(invoice["subscription"], "subscription")
    intent = store.find(invoice["payment_intent"] or "", "payment_intent")
    with watching(store, "customer.subscription.updated", subscription):
        wants_default = subscription["payment_settings"]["save_default_payment_method"] == "on_subscription"
        if intent and wants_default and not subscription["default_payment_method"]:
            subscription["default_payment_method"] = intent["payment_method"]
        pending = subscription["pending_update"]
        if pending and invoice["id"] == subscription["latest_invoice"]:
            subscription["pending_update"] = None
            prorations.apply(store, subscription, subscription.pop("_pending_items"))
            show(store, subscription)
        if subscription["status"] == "incomplete" and invoice["billing_reason"] == "subscription_create":
            subscription["status"] = "active"
        elif subscription["status"] in ("past_due", "unpaid") and invoice["id"] == subscription["latest_invoice"]:
            subscription["status"] = "active"


def payment_failed(store, invoice):
    """A renewal or change that is not paid makes the subscription past due, and is retried."""
    subscription = store.get(invoice["subscription"], "subscription")
    if subscription["status"] not in ("active", "past_due") or subscription["pending_update"]:
        return
    with watching(store, "customer.subscription.updated", subscription):
        subscription["status"] = "past_due"
    days = store.setting("retry days", RETRY_DAYS)
    if invoice["next_payment_attempt"] and invoice["next_payment_attempt"] > store.now():
        # The buyer tried; the schedule stays.
        return
    if invoice["_retries"] < len(days):
        first = invoice["status_transitions"]["finalized_at"]
        invoice["next_payment_attempt"] = first + days[invoice["_retries"]] * 86_400
        invoice["_retries"] += 1
        store.at(invoice["next_payment_attempt"], "invoice.retry", invoice["id"])
    else:
        invoice["next_payment_attempt"] = None
        give_up(store, subscription, invoice)


def give_up(store, subscription, invoice):
    final = store.setting("dunning ends", "canceled")
    if final == "canceled":
        end(store, subscription, "payment_failed")
    elif final == "unpaid":
        with watching(store, "customer.subscription.updated", subscription):
            subscription["status"] = "unpaid"


invoices.on_paid.append(paid)
invoices.on_payment_failed.append(payment_failed)


# What time brings


@job("subscription.renew")
def renew(store, id):
    subscription = store.get(id, "subscription")
    items = items_of(store, subscription)
    now = store.now()
    if subscription["status"] in ENDED + ("incomplete",) or items[0]["current_period_end"] != now:
        return
    if subscription["cancel_at_period_end"]:
        end(store, subscription, "cancellation_requested")
        return
    with watching(store, "customer.subscription.updated", subscription):
        subscription["_periods"] += 1
        recurring = items[0]["price"]["recurring"]
        until = after(subscription["billing_cycle_anchor"], subscription["_periods"], recurring)
        for one in items:
            one["current_period_start"], one["current_period_end"] = now, until
        show(store, subscription)
        lines = subscription["_prorations"] + period_lines(subscription, items)
        subscription["_prorations"] = []
        began = after(now, -1, recurring)
        invoice = invoices.create(store, subscription, lines, "subscription_cycle", began, now)
        subscription["latest_invoice"] = invoice["id"]
    store.at(until, "subscription.renew", id)
    # Invoices of an unpaid subscription stay drafts.
    if subscription["status"] != "unpaid":
        store.later(invoices.DRAFT_SECONDS, "invoice.collect", invoice["id"])


@job("invoice.collect")
def collect(store, id):
    invoice = store.get(id, "invoice")
    if invoice["status"] != "draft":
        return
    method = invoices.default_method(store, invoice)
    invoices.finalize(store, invoice, method)
    attempt(store, invoice, method)


@job("invoice.retry")
def retry(store, id):
    invoice = store.get(id, "invoice")
    if invoice["status"] == "open" and invoice["next_payment_attempt"] == store.now():
        attempt(store, invoice, invoices.default_method(store, invoice))


def attempt(store, invoice, method):
    if invoice["status"] != "open":
        return
    if method is None:
        invoice["attempt_count"], invoice["attempted"] = invoice["attempt_count"] + 1, True
        payment_failed(store, invoice)
        emit(store, "invoice.payment_failed", invoice)
    else:
        invoices.pay(store, invoice, method, off_session=True)


@job("subscription.expire")
def expire(store, id):
    """An incomplete subscription, or a change that waits for its payment, ends after 23 hours."""
    subscription = store.get(id, "subscription")
    if subscription["pending_update"] and subscription["pending_update"]["expires_at"] <= store.now():
        invoices.void(store, store.get(subscription["latest_invoice"], "invoice"))
        before = store.snapshot(subscription)
        subscription["pending_update"] = None
        subscription.pop("_pending_items")
        emit(store, "customer.subscription.pending_update_expired", subscription, changes(before, subscription))
    if subscription["status"] == "incomplete":
        with watching(store, "customer.subscription.updated", subscription):
            subscription["status"] = "incomplete_expired"
            subscription["canceled_at"] = subscription["ended_at"] = store.now()
        invoices.void(store, store.get(subscription["latest_invoice"], "invoice"))


@job("subscription.end")
def end_at(store, id):
    subscription = store.get(id, "subscription")
    if subscription["status"] not in ENDED and subscription["cancel_at"] == store.now():
        end(store, subscription, "cancellation_requested")


def end(store, subscription, reason):
    first_invoice = store.get(subscription["latest_invoice"], "invoice")
    if subscription["status"] == "incomplete" and first_invoice["status"] == "open":
        invoices.void(store, first_invoice)
    subscription["status"], subscription["ended_at"] = "canceled", store.now()
    subscription["canceled_at"] = subscription["canceled_at"] or store.now()
    subscription["cancellation_details"]["reason"] = reason
    subscription["_prorations"] = []
    for invoice in store.select("invoice", "json_extract(body, '$.subscription') = ? AND json_extract(body, '$.status')"
                                " IN ('draft', 'open')", [subscription["id"]]):
        invoice["auto_advance"], invoice["next_payment_attempt"] = False, None
    emit(store, "customer.subscription.deleted", subscription)


def end_all(store, customer):
    for subscription in store.select("subscription", "json_extract(body, '$.customer') = ?", [customer["id"]]):
        if subscription["status"] not in ENDED:
            end(store, subscription, "cancellation_requested")


on_deleted.append(end_all)
