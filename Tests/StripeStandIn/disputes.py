"""Disputes: the money goes at once, and comes back if the shop wins (docs.stripe.com/disputes)."""

import charges
import forms
from errors import invalid
from events import emit, watching
from lists import page
from routes import job, listing, route

ANSWER_SECONDS = 7 * 86_400
# Evidence that decides a dispute in test mode (docs.stripe.com/testing#disputes).
VERDICTS = {"winning_evidence": "won", "losing_evidence": "lost"}
OPEN = ("needs_response", "under_review")


def create(store, charge, amount=None, reason="fraudulent"):
    if charge["disputed"]:
        raise invalid(f"The charge {charge['id']} is already disputed.")
    amount = amount or charge["amount_captured"] - charge["amount_refunded"]
    if not 0 < amount <= charge["amount_captured"]:
        raise invalid(f"The amount to dispute must lie between 1 and {charge['amount_captured']}.", "amount")
    dispute = store.new(
        "du", "dispute", amount=amount, balance_transactions=[], charge=charge["id"], currency=charge["currency"],
        enhanced_eligibility_types=[], evidence={"enhanced_evidence": {}},
        evidence_details={"due_by": store.now() + ANSWER_SECONDS, "enhanced_eligibility": {}, "has_evidence": False,
                          "past_due": False, "submission_count": 0, "submission_method": None},
        is_charge_refundable=False, metadata={}, payment_intent=charge["payment_intent"],
        payment_method_details={"type": "card", "card": {
            "brand": charge["payment_method_details"]["card"]["brand"], "case_type": "chargeback",
            "network": charge["payment_method_details"]["card"]["network"], "network_reason_code": "83"}},
        reason=reason, status="needs_response")
    charge["disputed"] = True
    emit(store, "charge.dispute.created", dispute)
    move(store, dispute, -amount, charges.DISPUTE_FEE)
    emit(store, "charge.dispute.funds_withdrawn", dispute)
    store.later(ANSWER_SECONDS, "dispute.unanswered", dispute["id"])
    return dispute


def move(store, dispute, amount, fee):
    transaction = charges.book(store, "adjustment", amount, dispute["currency"], dispute["id"], fee,
                               f"Chargeback {'withdrawal' if amount < 0 else 'reversal'} for {dispute['charge']}")
    dispute["balance_transactions"].append(store.snapshot(transaction))


def close(store, dispute, status):
    if dispute["status"] not in OPEN:
        raise invalid(f"The dispute {dispute['id']} is {dispute['status']}.")
    dispute["status"] = status
    emit(store, "charge.dispute.closed", dispute)
    if status == "won":
        store.get(dispute["charge"], "charge")["_dispute_won"] = True
        move(store, dispute, dispute["amount"], 0)
        emit(store, "charge.dispute.funds_reinstated", dispute)


@job("dispute.fraudulent")
def create_fraudulent(store, charge):
    create(store, store.get(charge, "charge"))


@job("dispute.product_not_received")
def create_not_received(store, charge):
    create(store, store.get(charge, "charge"), reason="product_not_received")


@job("dispute.unanswered")
def give_up(store, id):
    dispute = store.get(id, "dispute")
    if dispute["status"] == "needs_response":
        close(store, dispute, "lost")


@route("GET", "/v1/disputes/{id}")
def get(store, params, id):
    return store.get(id, "dispute")


@route("POST", "/v1/disputes/{id}", "evidence metadata submit")
def update(store, params, id):
    dispute = store.get(id, "dispute")
    evidence = forms.mapping(params, "evidence")
    if evidence and dispute["status"] not in OPEN:
        raise invalid(f"This dispute is already {dispute['status']}.")
    with watching(store, "charge.dispute.updated", dispute):
        dispute["metadata"] = forms.metadata(params, dispute["metadata"])
        if evidence:
            dispute["evidence"].update(evidence)
            dispute["evidence_details"]["has_evidence"] = True
        if evidence and forms.boolean(params, "submit", True):
            dispute["evidence_details"]["submission_count"] += 1
            dispute["status"] = "under_review"
    verdict = VERDICTS.get(dispute["evidence"].get("uncategorized_text"))
    if dispute["status"] == "under_review" and verdict:
        close(store, dispute, verdict)
    return dispute


@route("POST", "/v1/disputes/{id}/close")
def post_close(store, params, id):
    dispute = store.get(id, "dispute")
    close(store, dispute, "lost")
    return dispute


@listing("/v1/disputes", "charge payment_intent")
def list_disputes(store, params):
    return page(
        store, params, "dispute", "/v1/disputes", charge=forms.text(params, "charge"),
        payment_intent=forms.text(params, "payment_intent"))
