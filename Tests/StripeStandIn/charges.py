"""Charges and balance transactions: what moved, for reconciliation (docs.stripe.com/api/charges, /balance)."""

import forms
from lists import page
from routes import listing, route

DISPUTE_FEE = 1500


def fee(amount):
    """2.9 % and 30 of the smallest unit, half up."""
    return (amount * 29 + 500) // 1000 + 30


def book(store, type, amount, currency, source, fee=0, description=None):
    """A movement of the balance; what is charged is available after two days."""
    details = [{"amount": fee, "application": None, "currency": currency, "description": "Stripe processing fees",
                "type": "stripe_fee"}] if fee else []
    return store.new(
        "txn", "balance_transaction", amount=amount, available_on=store.now() + 2 * 86_400, balance_type="payments",
        currency=currency,
        description=description, exchange_rate=None, fee=fee, fee_details=details, net=amount - fee,
        reporting_category={"payment": "charge", "adjustment": "dispute"}.get(type, type), source=source,
        status="pending", type=type,
    )


def create(store, intent, method, amount, failure=None, captured=True):
    """The charge of an attempt to pay: succeeded, or failed with the error of a declined card."""
    card = method["card"]
    charge = store.new(
        "ch", "charge", amount=amount, amount_captured=amount if captured and not failure else 0, amount_refunded=0,
        balance_transaction=None, billing_details=method["billing_details"],
        calculated_statement_descriptor="STAND-IN", captured=captured and not failure, currency=intent["currency"],
        customer=intent["customer"], description=intent["description"], disputed=False,
        failure_balance_transaction=None, failure_code=failure and failure["code"],
        failure_message=failure and failure["message"], fraud_details={}, metadata=dict(intent["metadata"]),
        outcome={
            "network_status": "declined_by_network" if failure else "approved_by_network",
            "reason": failure and failure.get("decline_code"), "risk_level": "normal", "risk_score": 20,
            "seller_message": failure and "The bank did not return any further details with this decline."
            or "Payment complete.", "type": "issuer_declined" if failure else "authorized"},
        paid=not failure, payment_intent=intent["id"], payment_method=method["id"],
        payment_method_details={"card": {
            "amount_authorized": None if failure else amount, "brand": card["brand"], "checks": card["checks"],
            "country": card["country"], "exp_month": card["exp_month"], "exp_year": card["exp_year"],
            "fingerprint": card["fingerprint"], "funding": card["funding"], "last4": card["last4"],
            "network": card["brand"], "three_d_secure": None, "wallet": None}, "type": "card"},
        receipt_email=intent["receipt_email"], receipt_number=None, receipt_url=None, refunded=False, review=None,
        status="failed" if failure else "succeeded",
    )
    if charge["captured"]:
        book_capture(store, charge)
    return charge


def book_capture(store, charge):
    amount = charge["amount_captured"]
    transaction = book(store, "charge", amount, charge["currency"], charge["id"], fee(amount), charge["description"])
    charge["balance_transaction"] = transaction["id"]


@route("GET", "/v1/charges/{id}")
def get_charge(store, params, id):
    return store.get(id, "charge")


@listing("/v1/charges", "customer payment_intent")
def list_charges(store, params):
    return page(
        store, params, "charge", "/v1/charges", customer=forms.text(params, "customer"),
        payment_intent=forms.text(params, "payment_intent"))


@route("GET", "/v1/balance_transactions/{id}")
def get_transaction(store, params, id):
    return settled(store, store.get(id, "balance_transaction"))


@listing("/v1/balance_transactions", "type currency source payout")
def list_transactions(store, params):
    result = page(
        store, params, "balance_transaction", "/v1/balance_transactions", type=forms.text(params, "type"),
        currency=forms.text(params, "currency"), source=forms.text(params, "source"))
    for transaction in result["data"]:
        settled(store, transaction)
    return result


def settled(store, transaction):
    if transaction["available_on"] <= store.now():
        transaction["status"] = "available"
    return transaction


@route("GET", "/v1/balance")
def get_balance(store, params):
    sums = {"available": {}, "pending": {}}
    for transaction in store.select("balance_transaction", newest=False):
        part = sums[settled(store, transaction)["status"]]
        part[transaction["currency"]] = part.get(transaction["currency"], 0) + transaction["net"]
    return {"object": "balance", "livemode": False} | {
        name: [{"amount": amount, "currency": code, "source_types": {"card": amount}} for code, amount in part.items()]
        for name, part in sums.items()
    }
