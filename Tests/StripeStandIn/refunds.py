"""Refunds: pending, succeeded, and failed even after they succeeded (docs.stripe.com/refunds)."""

import cards
import charges
import forms
from errors import invalid, malformed
from events import changes, emit, watching
from lists import page
from routes import job, listing, route

REASONS = ("duplicate", "fraudulent", "requested_by_customer")
# Banks answer after days; so do the test cards whose refunds change later.
BANK_SECONDS = 86_400


@route("POST", "/v1/refunds", "charge payment_intent amount reason metadata")
def create(store, params):
    charge = charge_of(store, params)
    if charge["disputed"] and not charge.get("_dispute_won"):
        raise invalid(f"Charge {charge['id']} has been charged back; cannot issue a refund.", code="charge_disputed")
    left = charge["amount_captured"] - charge["amount_refunded"]
    if left == 0:
        raise invalid(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    amount = forms.integer(params, "amount", left, least=1)
    if amount > left:
        raise invalid(
            f"Refund amount ({forms.in_words(amount, charge['currency'])}) is greater than unrefunded amount on charge"
            f" ({forms.in_words(left, charge['currency'])})", "amount")
    reason = forms.word(params, "reason", REASONS)
    refund = store.new(
        "re", "refund", amount=amount, balance_transaction=None, charge=charge["id"], currency=charge["currency"],
        destination_details={"card": {
            "reference_status": "pending", "reference_type": "acquirer_reference_number", "type": "refund"},
            "type": "card"},
        metadata=forms.metadata(params), payment_intent=charge["payment_intent"], reason=reason, receipt_number=None,
        source_transfer_reversal=None, status="succeeded", transfer_reversal=None)
    behavior = cards.BY_NUMBER[store.get(charge["payment_method"], "payment_method")["_number"]].refund
    if behavior == "pending" or store.forced == "refundPending":
        refund["status"], refund["pending_reason"] = "pending", "processing"
    if behavior or store.forced == "refundFails":
        outcome = "succeed" if behavior == "pending" else "fail"
        store.later(BANK_SECONDS, f"refund.{outcome}", refund["id"])
    refund["balance_transaction"] = charges.book(
        store, "refund", -amount, refund["currency"], refund["id"], description="REFUND FOR CHARGE")["id"]
    before = store.snapshot(charge)
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    emit(store, "refund.created", refund)
    emit(store, "charge.refunded", charge, changes(before, charge))
    return refund


def charge_of(store, params):
    intent_id, charge_id = forms.text(params, "payment_intent"), forms.text(params, "charge")
    if not intent_id and not charge_id:
        raise malformed("One of the following params should be provided for this request: payment_intent or charge.")
    if charge_id:
        charge = store.get(charge_id, "charge", "charge")
    else:
        intent = store.get(intent_id, "payment_intent", "payment_intent")
        charge = store.find(intent["latest_charge"] or "", "charge")
    if charge is None or charge["status"] != "succeeded" or not charge["captured"]:
        raise invalid(f"This PaymentIntent ({intent_id or charge_id}) does not have a successful charge to refund.")
    return charge


def succeed(store, refund):
    if refund["status"] != "pending":
        raise invalid(f"The refund {refund['id']} is {refund['status']}.")
    before = store.snapshot(refund)
    refund["status"] = "succeeded"
    refund.pop("pending_reason", None)
    announce(store, refund, changes(before, refund), ("refund.updated", "charge.refund.updated"))


def fail(store, refund, reason="expired_or_canceled_card"):
    """The money comes back to the balance; the charge may be refunded again."""
    if refund["status"] not in ("pending", "succeeded"):
        raise invalid(f"The refund {refund['id']} is {refund['status']}.")
    before = store.snapshot(refund)
    refund.pop("pending_reason", None)
    refund["status"], refund["failure_reason"] = "failed", reason
    refund["failure_balance_transaction"] = charges.book(
        store, "refund_failure", refund["amount"], refund["currency"], refund["id"],
        description="REFUND FAILURE")["id"]
    charge = store.get(refund["charge"], "charge")
    with watching(store, "charge.updated", charge):
        charge["amount_refunded"] -= refund["amount"]
        charge["refunded"] = False
    announce(store, refund, changes(before, refund), ("refund.updated", "charge.refund.updated", "refund.failed"))


def announce(store, refund, previous, types):
    for type in types:
        emit(store, type, refund, None if type == "refund.failed" else previous)


@job("refund.succeed")
def succeed_later(store, id):
    refund = store.get(id, "refund")
    if refund["status"] == "pending":
        succeed(store, refund)


@job("refund.fail")
def fail_later(store, id):
    refund = store.get(id, "refund")
    if refund["status"] in ("pending", "succeeded"):
        fail(store, refund)


@route("GET", "/v1/refunds/{id}")
def get(store, params, id):
    return store.get(id, "refund")


@route("POST", "/v1/refunds/{id}", "metadata")
def update(store, params, id):
    refund = store.get(id, "refund")
    with watching(store, "refund.updated", refund):
        refund["metadata"] = forms.metadata(params, refund["metadata"])
    return refund


@route("POST", "/v1/refunds/{id}/cancel")
def cancel(store, params, id):
    refund = store.get(id, "refund")
    raise invalid(f"A refund with status {refund['status']} cannot be canceled; only requires_action can.")


@listing("/v1/refunds", "charge payment_intent")
def list_refunds(store, params):
    return page(
        store, params, "refund", "/v1/refunds", charge=forms.text(params, "charge"),
        payment_intent=forms.text(params, "payment_intent"))
