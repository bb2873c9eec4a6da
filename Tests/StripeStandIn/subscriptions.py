"""Subscriptions: incomplete, active, past due, unpaid, canceled (docs.stripe.com/billing/subscriptions/overview)."""

import forms
import invoices
import payment_methods
import prorations
from customers import existing
from errors import Failure, invalid, no_such, required
from events import changes, emit
from items import fill, items_of, method_of, new, period_lines, price_of, show
from lists import page
from periods import after
from renewals import ENDED, end
from routes import listing, route

BEHAVIORS = ("allow_incomplete", "default_incomplete", "error_if_incomplete", "pending_if_incomplete")
PRORATIONS = ("create_prorations", "always_invoice", "none")
INCOMPLETE_SECONDS = 23 * 3600
FIELDS = "metadata description default_payment_method cancel_at_period_end cancel_at items payment_behavior" \
    " proration_behavior payment_settings off_session collection_method cancellation_details"


# Creation


@route("POST", "/v1/subscriptions", f"customer currency {FIELDS}")
def create(store, params):
    customer = existing(store, forms.needed(params, "customer"), "customer")
    wanted = forms.sequence(params, "items")
    if not wanted:
        raise required("items")
    behavior = forms.word(params, "payment_behavior", BEHAVIORS[:3], "allow_incomplete")
    forms.word(params, "collection_method", ("charge_automatically",))
    chosen = [price_of(store, one, f"items[{index}]") for index, one in enumerate(wanted)]
    if len({(one["currency"], str(one["recurring"])) for one in chosen}) > 1:
        raise invalid("All prices on a subscription must have the same currency and recurring interval.", "items")
    now = store.now()
    until = after(now, 1, chosen[0]["recurring"])
    subscription = store.new(
        "sub", "subscription", application=None, automatic_tax={"enabled": False, "liability": None},
        billing_cycle_anchor=now, billing_mode={"type": "classic"}, billing_schedules=[], cancel_at=None,
        cancel_at_period_end=False, canceled_at=None,
        cancellation_details={"comment": None, "feedback": None, "reason": None},
        collection_method="charge_automatically", currency=chosen[0]["currency"], customer=customer["id"],
        days_until_due=None, default_payment_method=None, default_source=None, description=None, discounts=[],
        ended_at=None, invoice_settings={"account_tax_ids": None, "issuer": {"type": "self"}}, latest_invoice=None,
        metadata=forms.metadata(params), next_pending_invoice_item_invoice=None, pause_collection=None,
        payment_settings={"payment_method_options": None, "payment_method_types": None,
                          "save_default_payment_method": "off", **forms.mapping(params, "payment_settings")},
        pending_setup_intent=None, pending_update=None, schedule=None, start_date=now, status="incomplete",
        trial_end=None, trial_start=None, _items=[], _periods=1, _prorations=[])
    for price, one in zip(chosen, wanted):
        quantity = forms.integer(one, "quantity", 1, least=0)
        made = new(store, subscription["id"], forms.metadata(one))
        fill(store, made, price, quantity, now, until)
        subscription["_items"].append(made["id"])
    set_method(store, subscription, params)
    set_end(store, subscription, params)
    show(store, subscription)
    lines = period_lines(subscription, items_of(store, subscription))
    invoice = invoices.create(store, subscription, lines, "subscription_create", now, now)
    subscription["latest_invoice"] = invoice["id"]
    # A subscription that costs nothing now starts active.
    method = method_of(store, subscription)
    if invoice["amount_due"] and behavior != "default_incomplete" and not method:
        raise invoices.no_method("This customer has no attached payment source or default payment method. Please"
                                 " consider adding a default payment method.")
    if not invoice["amount_due"]:
        subscription["status"] = "active"
    emit(store, "customer.subscription.created", subscription)
    store.at(until, "subscription.renew", subscription["id"])
    store.later(INCOMPLETE_SECONDS, "subscription.expire", subscription["id"])
    invoices.finalize(store, invoice, method)
    if invoice["status"] == "open" and behavior != "default_incomplete":
        try_to_pay(store, invoice, method, behavior, forms.boolean(params, "off_session"))
    return subscription


def try_to_pay(store, invoice, method, behavior, off_session):
    intent = store.get(invoice["payment_intent"], "payment_intent")
    try:
        invoices.pay(store, invoice, method, off_session)
    except Failure as failure:
        if behavior == "error_if_incomplete":
            # Nothing of the request stays.
            failure.commits = False
            raise
    if behavior == "error_if_incomplete" and intent["status"] == "requires_action":
        raise Failure(
            402, "card_error", "This payment requires additional user action before it can be completed successfully.",
            code="subscription_payment_intent_requires_action")


def set_method(store, subscription, params):
    if "default_payment_method" in params:
        id = forms.text(params, "default_payment_method")
        if id:
            method = payment_methods.resolve(store, id, "default_payment_method")
            if method["customer"] != subscription["customer"]:
                raise invalid(
                    f"The customer does not have a payment method with the ID {id}. The payment method must be"
                    " attached to the customer.", "default_payment_method", "resource_missing")
        subscription["default_payment_method"] = id


def set_end(store, subscription, params):
    if "cancel_at_period_end" in params:
        ends = forms.boolean(params, "cancel_at_period_end")
        if ends != subscription["cancel_at_period_end"]:
            subscription["cancel_at_period_end"] = ends
            subscription["canceled_at"] = store.now() if ends else None
            end = max(one["current_period_end"] for one in items_of(store, subscription))
            subscription["cancel_at"] = end if ends else None
            subscription["cancellation_details"]["reason"] = "cancellation_requested" if ends else None
    elif "cancel_at" in params:
        subscription["cancel_at"] = forms.integer(params, "cancel_at")
        subscription["canceled_at"] = store.now() if subscription["cancel_at"] else None
        if subscription["cancel_at"]:
            store.at(subscription["cancel_at"], "subscription.end", subscription["id"])
    for name, value in forms.mapping(params, "cancellation_details").items():
        subscription["cancellation_details"][name] = value


# Requests


@route("GET", "/v1/subscriptions/{id}")
def get(store, params, id):
    return store.get(id, "subscription")


@listing("/v1/subscriptions", "customer price status")
def list_subscriptions(store, params):
    status = forms.text(params, "status")
    living = ["incomplete", "active", "past_due", "unpaid"]
    wanted = {None: living, "all": None, "ended": list(ENDED)}.get(status, status)
    customer, price = forms.text(params, "customer"), forms.text(params, "price")
    return page(
        store, params, "subscription", "/v1/subscriptions", customer=customer, status=wanted, plan__id=price)


@route("POST", "/v1/subscriptions/{id}", FIELDS + " billing_cycle_anchor proration_date")
def update(store, params, id):
    subscription = store.get(id, "subscription")
    if subscription["status"] in ENDED:
        allowed = {"metadata", "cancellation_details"}
        if set(params) - allowed:
            raise invalid(
                "A canceled subscription can only update its cancellation_details and metadata.")
    behavior = forms.word(params, "payment_behavior", BEHAVIORS, "allow_incomplete")
    proration = forms.word(params, "proration_behavior", PRORATIONS, "create_prorations")
    before = store.snapshot(subscription)
    subscription["metadata"] = forms.metadata(params, subscription["metadata"])
    subscription["description"] = forms.text(params, "description", subscription["description"])
    subscription["payment_settings"].update(forms.mapping(params, "payment_settings"))
    set_method(store, subscription, params)
    set_end(store, subscription, params)
    invoice = None
    if wanted := forms.sequence(params, "items"):
        if subscription["status"] == "incomplete":
            raise invalid("Subscription items of an incomplete subscription cannot be changed.")
        if subscription["pending_update"]:
            raise invalid("This subscription has a pending update; it cannot be changed until that is applied.")
        planned = prorations.plan_changes(store, subscription, wanted, price_of)
        invoice = change(store, subscription, planned, proration, behavior, params)
    show(store, subscription)
    if previous := changes(before, subscription):
        emit(store, "customer.subscription.updated", subscription, previous)
    if invoice and invoice["status"] == "open":
        method = method_of(store, subscription)
        if method:
            try_to_pay(store, invoice, method, behavior, forms.boolean(params, "off_session"))
        elif behavior == "error_if_incomplete":
            raise invoices.no_method("This customer has no attached payment source or default payment method.")
    return subscription


def change(store, subscription, planned, proration, behavior, params):
    """Applies changed items, and answers the invoice that has to be paid now, if there is one."""
    at = forms.integer(params, "proration_date", store.now())
    lines = prorations.lines(store, subscription, planned, at) if proration != "none" else []
    restarts = prorations.changes_interval(store, subscription, planned)
    if restarts:
        lines = [line for line in lines if line[1] < 0]
    is_invoiced = restarts or proration == "always_invoice" and lines
    if behavior == "pending_if_incomplete" and is_invoiced and not restarts:
        subscription["_pending_items"] = planned
    else:
        prorations.apply(store, subscription, planned)
    items = items_of(store, subscription)
    if restarts:
        now = store.now()
        subscription["billing_cycle_anchor"], subscription["_periods"] = now, 1
        until = after(now, 1, items[0]["price"]["recurring"])
        for one in items:
            one["current_period_start"], one["current_period_end"] = now, until
        store.at(until, "subscription.renew", subscription["id"])
        lines = lines + period_lines(subscription, items)
    if not is_invoiced:
        subscription["_prorations"] += lines
        return None
    now = store.now()
    lines, subscription["_prorations"] = subscription["_prorations"] + lines, []
    invoice = invoices.create(store, subscription, lines, "subscription_update", now, now)
    subscription["latest_invoice"] = invoice["id"]
    if "_pending_items" in subscription:
        subscription["pending_update"] = {
            "billing_cycle_anchor": None, "expires_at": now + INCOMPLETE_SECONDS, "trial_end": None,
            "trial_from_plan": None, "subscription_items": [
                {"id": one["id"], "price": store.snapshot(store.get(one["price"], "price")),
                 "quantity": one["quantity"]} for one in planned]}
        store.later(INCOMPLETE_SECONDS, "subscription.expire", subscription["id"])
    invoices.finalize(store, invoice, method_of(store, subscription))
    return invoice


@route("DELETE", "/v1/subscriptions/{id}", "invoice_now prorate cancellation_details")
def cancel(store, params, id):
    subscription = store.get(id, "subscription")
    if subscription["status"] in ENDED:
        raise no_such("subscription", id)
    set_end(store, subscription, {"cancellation_details": params.get("cancellation_details")})
    if forms.boolean(params, "prorate"):
        customer = store.get(subscription["customer"], "customer")
        items = [{"id": one["id"], "price": one["price"]["id"], "quantity": 0} for one in items_of(store, subscription)]
        customer["balance"] += sum(line[1] for line in prorations.lines(store, subscription, items, store.now()))
    end(store, subscription, "cancellation_requested")
    return subscription


@listing("/v1/subscription_items", "subscription")
def list_items(store, params):
    id = forms.needed(params, "subscription")
    return page(store, params, "subscription_item", "/v1/subscription_items", subscription=id)


@route("GET", "/v1/subscription_items/{id}")
def get_item(store, params, id):
    return store.get(id, "subscription_item")


@route("POST", "/v1/subscription_items/{id}", "price quantity metadata payment_behavior proration_behavior"
       " off_session proration_date")
def update_item(store, params, id):
    made = store.get(id, "subscription_item")
    of_item = {name: params[name] for name in ("price", "quantity", "metadata") if name in params}
    of_subscription = {name: value for name, value in params.items() if name not in of_item and name != "expand"}
    update(store, of_subscription | {"items": [of_item | {"id": id}]}, made["subscription"])
    return made
