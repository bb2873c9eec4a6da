"""Invoices of subscriptions and their payments (docs.stripe.com/billing/invoices).

The payment intents of invoices carry none of the metadata of whoever created the subscription, as Stripe's.
"""

import forms
import payment_intents
from errors import Failure, card_error, invalid
from events import changes, emit
from lists import page
from routes import listing, route

# An invoice of a renewal stays a draft for an hour.
DRAFT_SECONDS = 3600

# Called with the store and an invoice.
on_paid, on_payment_failed = [], []


def create(store, subscription, lines, reason, start, end):
    """A draft. `lines` are (description, amount, price, quantity, is_proration, start, end, item)."""
    customer = store.get(subscription["customer"], "customer")
    total = sum(line[1] for line in lines)
    # A negative balance is credit; a negative total becomes credit.
    applied = min(max(-customer["balance"], 0), max(total, 0))
    due = max(total, 0) - applied
    # What is too little for a charge is added to the next invoice.
    if 0 < due < forms.MINIMUM_CHARGES.get(subscription["currency"], 1):
        applied, due = applied + due, 0
    # What was left of former invoices is due with this one.
    if customer["balance"] > 0 and due > 0:
        applied, due = applied - customer["balance"], due + customer["balance"]
    number = store.setting("invoices", 0) + 1
    store.set("invoices", number)
    currency = subscription["currency"]
    invoice = store.new(
        "in", "invoice", account_country="US", amount_due=due, amount_overpaid=0, amount_paid=0, amount_remaining=due,
        amount_shipping=0, attempt_count=0, attempted=False, auto_advance=True,
        automatic_tax={"enabled": False, "disabled_reason": None, "liability": None, "provider": None, "status": None},
        billing_reason=reason, charge=None,
        collection_method="charge_automatically", confirmation_secret=None, currency=currency,
        customer=customer["id"], customer_email=customer["email"], customer_name=customer["name"],
        default_payment_method=None, default_tax_rates=[], description=None, discounts=[], due_date=None,
        ending_balance=None, hosted_invoice_url=None, issuer={"type": "self"},
        last_finalization_error=None, metadata={}, next_payment_attempt=None,
        number=f"{customer['invoice_prefix']}-{number:04}", paid=False,
        parent={"type": "subscription_details", "quote_details": None, "subscription_details": {
            "subscription": subscription["id"], "metadata": dict(subscription["metadata"])}},
        payment_intent=None, payments={"object": "list", "data": [], "has_more": False, "url": "/v1/invoice_payments"},
        payment_settings={"default_mandate": None, "payment_method_options": None, "payment_method_types": None},
        period_end=end, period_start=start, post_payment_credit_notes_amount=0, pre_payment_credit_notes_amount=0,
        starting_balance=customer["balance"], status="draft",
        status_transitions={"finalized_at": None, "marked_uncollectible_at": None, "paid_at": None, "voided_at": None},
        subscription=subscription["id"], subtotal=total, total=total, webhooks_delivered_at=None, _retries=0)
    invoice["lines"] = {
        "object": "list", "has_more": False, "url": f"/v1/invoices/{invoice['id']}/lines",
        "data": [line_item(store, invoice, subscription, index, line) for index, line in enumerate(lines)]}
    customer["balance"] += applied + min(total, 0)
    emit(store, "invoice.created", invoice)
    return invoice


def line_item(store, invoice, subscription, index, line):
    description, amount, price, quantity, is_proration, start, end, item = line
    return {
        "id": f"il_{invoice['id'][3:]}{index}", "object": "line_item", "amount": amount,
        "currency": invoice["currency"], "description": description, "discountable": not is_proration, "discounts": [],
        "invoice": invoice["id"], "livemode": False, "subtotal": amount,
        "metadata": dict(subscription["metadata"]), "proration": is_proration, "quantity": quantity,
        "parent": {"type": "subscription_item_details", "subscription_item_details": {
            "subscription": subscription["id"], "subscription_item": item, "proration": is_proration}},
        "period": {"start": start, "end": end}, "price": store.snapshot(price), "subscription": subscription["id"],
        "pricing": {"type": "price_details", "unit_amount_decimal": price["unit_amount_decimal"],
                    "price_details": {"price": price["id"], "product": price["product"]}},
    }


def finalize(store, invoice, method=None):
    """Opens a draft: from now on it is owed. `method`: the card its payment intent starts with."""
    if invoice["status"] != "draft":
        raise invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    customer = store.get(invoice["customer"], "customer")
    invoice["status"], invoice["ending_balance"] = "open", customer["balance"]
    invoice["status_transitions"]["finalized_at"] = store.now()
    if invoice["amount_due"] > 0:
        is_first = invoice["billing_reason"] == "subscription_create"
        intent = payment_intents.create(
            store, invoice["amount_due"], invoice["currency"], invoice["customer"], invoice["id"],
            description="Subscription creation" if is_first else "Subscription update",
            setup_future_usage="off_session" if is_first else None)
        if method:
            intent["payment_method"], intent["status"] = method, "requires_confirmation"
        payment = store.new(
            "inpay", "invoice_payment", amount_paid=None, amount_requested=invoice["amount_due"],
            currency=invoice["currency"], invoice=invoice["id"], is_default=True,
            payment={"type": "payment_intent", "payment_intent": intent["id"]}, status="open",
            status_transitions={"canceled_at": None, "paid_at": None})
        invoice["payment_intent"] = intent["id"]
        invoice["confirmation_secret"] = {"client_secret": intent["client_secret"], "type": "payment_intent"}
        invoice["payments"]["data"] = [store.snapshot(payment)]
    emit(store, "invoice.finalized", invoice)
    if invoice["amount_due"] == 0:
        mark_paid(store, invoice)


def mark_paid(store, invoice, intent=None):
    before = store.snapshot(invoice)
    invoice["status"], invoice["paid"], invoice["amount_paid"] = "paid", True, invoice["amount_due"]
    invoice["amount_remaining"], invoice["next_payment_attempt"] = 0, None
    invoice["attempted"] = True
    invoice["status_transitions"]["paid_at"] = store.now()
    if intent:
        invoice["charge"] = intent["latest_charge"]
        payment = store.get(invoice["payments"]["data"][0]["id"], "invoice_payment")
        payment["status"], payment["amount_paid"] = "paid", invoice["amount_due"]
        payment["status_transitions"]["paid_at"] = store.now()
        invoice["payments"]["data"] = [store.snapshot(payment)]
        emit(store, "invoice_payment.paid", payment)
    emit(store, "invoice.updated", invoice, changes(before, invoice))
    emit(store, "invoice.paid", invoice)
    emit(store, "invoice.payment_succeeded", invoice)
    for hook in on_paid:
        hook(store, invoice)


def pay(store, invoice, method, off_session):
    """Tries to collect an open invoice.

    - Raises: ``Failure`` of a declined card, which commits.
    """
    intent = store.get(invoice["payment_intent"], "payment_intent")
    intent["payment_method"], intent["status"] = method, "requires_confirmation"
    payment_intents.confirm(store, intent, off_session)


def follow(store, intent):
    """What the outcome of an invoice's payment intent means for the invoice."""
    if not intent["_invoice"]:
        return
    invoice = store.get(intent["_invoice"], "invoice")
    if invoice["status"] not in ("open", "uncollectible"):
        return
    if intent["status"] == "succeeded":
        invoice["attempt_count"] += 1
        mark_paid(store, invoice, intent)
    elif intent["status"] == "requires_action":
        invoice["attempt_count"], invoice["attempted"] = invoice["attempt_count"] + 1, True
        emit(store, "invoice.payment_action_required", invoice)
    elif intent["status"] == "requires_payment_method":
        invoice["attempt_count"], invoice["attempted"] = invoice["attempt_count"] + 1, True
        for hook in on_payment_failed:
            hook(store, invoice)
        emit(store, "invoice.payment_failed", invoice)


payment_intents.on_outcome.append(follow)


def void(store, invoice):
    if invoice["status"] not in ("open", "uncollectible"):
        raise invalid(f"You can only pass in open or uncollectible invoices. This invoice is {invoice['status']}.")
    invoice["status"], invoice["next_payment_attempt"] = "void", None
    invoice["status_transitions"]["voided_at"] = store.now()
    intent = store.find(invoice["payment_intent"] or "", "payment_intent")
    if intent and intent["status"] in payment_intents.CANCELABLE and intent["status"] != "processing":
        payment_intents.cancel(store, intent, "void_invoice")
    emit(store, "invoice.voided", invoice)


@route("GET", "/v1/invoices/{id}")
def get(store, params, id):
    return store.get(id, "invoice")


@route("POST", "/v1/invoices/{id}", "metadata description auto_advance")
def update(store, params, id):
    invoice = store.get(id, "invoice")
    invoice["metadata"] = forms.metadata(params, invoice["metadata"])
    invoice["description"] = forms.text(params, "description", invoice["description"])
    invoice["auto_advance"] = forms.boolean(params, "auto_advance", invoice["auto_advance"])
    return invoice


@route("POST", "/v1/invoices/{id}/finalize", "auto_advance")
def post_finalize(store, params, id):
    invoice = store.get(id, "invoice")
    finalize(store, invoice)
    return invoice


@route("POST", "/v1/invoices/{id}/pay", "payment_method off_session")
def post_pay(store, params, id):
    invoice = store.get(id, "invoice")
    if invoice["status"] == "draft":
        finalize(store, invoice)
    if invoice["status"] == "paid":
        raise invalid("Invoice is already paid", code="invoice_already_paid") if invoice["amount_due"] else invalid(
            "Invoice is already paid")
    if invoice["status"] == "void":
        raise invalid("Invoice is void.")
    method = forms.text(params, "payment_method") or default_method(store, invoice)
    if method is None:
        raise no_method("There is no payment method to pay this invoice with.")
    pay(store, invoice, method, forms.boolean(params, "off_session", True))
    if invoice["status"] != "paid" and store.get(invoice["payment_intent"], "payment_intent")["status"] != "processing":
        raise card_error(
            "invoice_payment_intent_requires_action",
            "This payment requires additional user action before it can be completed successfully.")
    return invoice


def default_method(store, invoice):
    subscription = store.get(invoice["subscription"], "subscription")
    customer = store.get(invoice["customer"], "customer")
    return subscription["default_payment_method"] or customer["invoice_settings"]["default_payment_method"]


def no_method(message):
    return Failure(400, "invalid_request_error", message, code="resource_missing")


@route("POST", "/v1/invoices/{id}/void")
def post_void(store, params, id):
    invoice = store.get(id, "invoice")
    void(store, invoice)
    return invoice


@route("POST", "/v1/invoices/{id}/mark_uncollectible")
def post_uncollectible(store, params, id):
    invoice = store.get(id, "invoice")
    if invoice["status"] != "open":
        raise invalid(f"You can only mark open invoices as uncollectible. This invoice is {invoice['status']}.")
    invoice["status"] = "uncollectible"
    invoice["status_transitions"]["marked_uncollectible_at"] = store.now()
    emit(store, "invoice.marked_uncollectible", invoice)
    return invoice


@listing("/v1/invoices", "customer subscription status")
def list_invoices(store, params):
    return page(
        store, params, "invoice", "/v1/invoices", customer=forms.text(params, "customer"),
        subscription=forms.text(params, "subscription"), status=forms.text(params, "status"))


@listing("/v1/invoice_payments", "invoice payment status")
def list_payments(store, params):
    """The way from a payment intent to its invoice."""
    payment = forms.mapping(params, "payment")
    return page(
        store, params, "invoice_payment", "/v1/invoice_payments", invoice=forms.text(params, "invoice"),
        status=forms.text(params, "status"), payment__payment_intent=forms.text(payment, "payment_intent"))
