"""Whether the objects have the fields that Stripe's client declares: those that are always there, and no other."""

import typing

import stripe

from standin import check

# What version 2025-03-31 removed; the stand-in gives both places.
FORMER = {
    "Invoice": {"charge", "paid", "payment_intent", "subscription"},
    "Subscription": {"current_period_start", "current_period_end", "plan", "quantity"},
    "InvoiceLineItem": {"price", "proration"},
    "PaymentIntent": {"invoice"},
}


def judge(object, path=""):
    """The differences of an object and the objects in it."""
    kind = type(object)
    known = kind.__dict__.get("__annotations__", {}) if kind.__module__.startswith("stripe.") else {}
    fields = object.to_dict(recursive=False)
    found = set(fields)
    wrong = []
    if known:
        name = path or kind.__name__
        former = FORMER.get(kind.__name__, set())
        wrong += [f"{name}.{field} is not Stripe's" for field in found - set(known) - former - {"livemode", "object"}]
        always = {field for field, type in known.items() if not may_lack(type)} - {"deleted"}
        wrong += [f"{name}.{field} is missing" for field in always - found if not field.startswith("_")]
    for field, value in fields.items():
        if field == "previous_attributes":
            # A part of an object.
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, stripe.StripeObject):
                wrong += judge(part, f"{path or kind.__name__}.{field}")
    return wrong


def may_lack(annotation):
    if isinstance(annotation, str):
        return annotation.startswith(("Optional[", "ClassVar["))
    arguments = typing.get_args(annotation)
    return typing.get_origin(annotation) is typing.ClassVar or annotation is typing.ClassVar or type(None) in arguments


@check("objects have the fields of Stripe's")
def _(s):
    s.price()
    customer = s.customer()
    subscription = s.subscribe(customer)
    paid = s.pay(2000)
    refund = s.api.refunds.create({"payment_intent": paid.id, "amount": 100})
    disputed = s.pay(2000)
    s.control("disputes", {"payment_intent": disputed.id})
    held = s.pay(card="pm_card_authenticationRequired", return_url="https://shop.example")
    setup = s.api.setup_intents.create({"customer": customer.id, "payment_method": "pm_card_visa", "confirm": True})
    objects = [
        customer, subscription, paid, held, setup, refund, s.api.charges.retrieve(paid.latest_charge),
        s.api.payment_methods.retrieve("pm_card_visa"), s.api.invoices.retrieve(subscription.latest_invoice.id),
        s.api.disputes.list().data[0], s.api.prices.retrieve("price_a"), s.api.balance.retrieve(),
        *s.api.balance_transactions.list().data, *s.api.products.list().data, *s.api.events.list({"limit": 100}).data,
        s.api.webhook_endpoints.create({"url": "http://127.0.0.1:9/", "enabled_events": ["*"]}),
        *s.api.invoice_payments.list().data,
    ]
    wrong = sorted({line for object in objects for line in judge(object)})
    assert not wrong, "; ".join(wrong)
