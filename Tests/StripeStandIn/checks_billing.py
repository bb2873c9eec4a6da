"""What the stand-in does with subscriptions and invoices."""

from standin import DAY, START, check, raw, refusal, same

HOUR = 3600
FEBRUARY, MARCH = 1_769_904_000, 1_772_323_200


def subscription(s, card="pm_card_visa", **fields):
    s.price()
    customer = s.customer(card)
    return customer, s.subscribe(customer, **fields)


def item(subscription):
    return subscription["items"].data[0]


@check("a subscription with a good card is active for a month of the calendar")
def _(s):
    customer, made = subscription(s, metadata={"subscription": "ours"})
    same((made.status, item(made).current_period_start, item(made).current_period_end), ("active", START, FEBRUARY))
    same((made.latest_invoice.status, made.latest_invoice.amount_paid), ("paid", 1000))
    same(made.metadata.to_dict(), {"subscription": "ours"})


@check("an invoice's intent carries nothing of ours; the invoice carries the subscription's metadata")
def _(s):
    _, made = subscription(s, metadata={"subscription": "ours"})
    invoice = made.latest_invoice
    same((invoice.metadata.to_dict(), invoice.payment_intent.metadata.to_dict()), ({}, {}))
    same(invoice.parent.subscription_details.metadata.to_dict(), {"subscription": "ours"})
    same(invoice.parent.subscription_details.subscription, made.id)
    payments = s.api.invoice_payments.list(
        {"payment": {"type": "payment_intent", "payment_intent": invoice.payment_intent.id}})
    same([one.invoice for one in payments.data], [invoice.id])


@check("default_incomplete: incomplete until the app confirms with the client secret")
def _(s):
    _, made = subscription(s, payment_behavior="default_incomplete")
    same((made.status, made.latest_invoice.status), ("incomplete", "open"))
    secret = made.latest_invoice.confirmation_secret.client_secret
    same(secret, made.latest_invoice.payment_intent.client_secret)
    path = f"/v1/payment_intents/{made.latest_invoice.payment_intent.id}/confirm"
    status, _, _ = raw(s.url, "POST", path, f"client_secret={secret}", key="pk_test_app")
    same((status, s.api.subscriptions.retrieve(made.id).status), (200, "active"))
    same(s.types("customer.subscription"), ["customer.subscription.created", "customer.subscription.updated"])


@check("save_default_payment_method keeps the card that paid first")
def _(s):
    s.price()
    customer = s.api.customers.create()
    made = s.subscribe(customer, payment_behavior="default_incomplete",
                       payment_settings={"save_default_payment_method": "on_subscription"})
    intent = s.api.payment_intents.confirm(made.latest_invoice.payment_intent.id, {"payment_method": "pm_card_visa"})
    same(s.api.subscriptions.retrieve(made.id).default_payment_method, intent.payment_method)
    s.advance(32 * DAY)
    same(s.api.subscriptions.retrieve(made.id).status, "active")


@check("3-D Secure at the beginning: incomplete, then active when the buyer authenticates")
def _(s):
    _, made = subscription(s, "pm_card_authenticationRequired")
    intent = made.latest_invoice.payment_intent
    same((made.status, intent.status), ("incomplete", "requires_action"))
    s.control(f"payment_intents/{intent.id}/authenticate", {"outcome": "succeed"})
    same(s.api.subscriptions.retrieve(made.id).status, "active")


@check("a declined first payment leaves it incomplete, and after 23 hours it is incomplete_expired for good")
def _(s):
    _, made = subscription(s, "pm_card_chargeCustomerFail")
    same((made.status, made.latest_invoice.payment_intent.status), ("incomplete", "requires_payment_method"))
    s.advance(23 * HOUR - 1)
    same(s.api.subscriptions.retrieve(made.id).status, "incomplete")
    s.advance(1)
    made = s.api.subscriptions.retrieve(made.id, {"expand": ["latest_invoice.payment_intent"]})
    same((made.status, made.latest_invoice.status, made.latest_invoice.payment_intent.status),
         ("incomplete_expired", "void", "canceled"))
    same(refusal(s.api.subscriptions.update, made.id, {"cancel_at_period_end": True}).http_status, 400)


@check("error_if_incomplete leaves nothing behind")
def _(s):
    s.price()
    customer = s.customer("pm_card_chargeCustomerFail")
    error = refusal(lambda: s.subscribe(customer, payment_behavior="error_if_incomplete"))
    same((error.http_status, error.code), (402, "card_declined"))
    same(len(s.api.subscriptions.list({"status": "all"}).data), 0)
    same(len(s.api.charges.list().data), 0)


@check("without a payment method a subscription is refused")
def _(s):
    s.price()
    customer = s.api.customers.create()
    same(refusal(lambda: s.subscribe(customer)).code, "resource_missing")


@check("each month a draft of an hour, then a payment off session")
def _(s):
    _, made = subscription(s)
    s.control("clock", {"now": FEBRUARY})
    made = s.api.subscriptions.retrieve(made.id, {"expand": ["latest_invoice"]})
    same((item(made).current_period_end, made.latest_invoice.status), (MARCH, "draft"))
    s.advance(HOUR)
    same(s.api.invoices.retrieve(made.latest_invoice.id).status, "paid")
    s.advance(60 * DAY)
    paid = s.api.invoices.list({"subscription": made.id, "status": "paid"}).data
    same([one.billing_reason for one in paid], ["subscription_cycle"] * 3 + ["subscription_create"])


@check("a period that began on the 31st ends on the last day of a shorter month, and on the 31st again")
def _(s):
    s.control("clock", {"now": START + 30 * DAY})
    _, made = subscription(s)
    same(item(made).current_period_end, START + 58 * DAY)
    s.advance(29 * DAY)
    same(item(s.api.subscriptions.retrieve(made.id)).current_period_end, START + 89 * DAY)


def dunning(s, final="canceled"):
    """A subscription whose card begins to decline, at its first renewal."""
    s.control("settings", {"retry_days": [3, 5, 7], "final": final})
    customer, made = subscription(s)
    bad = s.api.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer.id})
    s.api.subscriptions.update(made.id, {"default_payment_method": bad.id})
    s.control("clock", {"now": FEBRUARY + HOUR})
    return customer, s.api.subscriptions.retrieve(made.id, {"expand": ["latest_invoice"]})


@check("a renewal that fails is past_due and retried on the days of the schedule, then canceled")
def _(s):
    _, made = dunning(s)
    attempts = []
    for _ in range(3):
        same(made.status, "past_due")
        invoice = s.api.invoices.retrieve(made.latest_invoice.id)
        attempts.append((invoice.next_payment_attempt - FEBRUARY - HOUR) // DAY)
        s.control("clock", {"now": invoice.next_payment_attempt})
    same(attempts, [3, 5, 7])
    same(s.api.subscriptions.retrieve(made.id).status, "canceled")
    same(len(s.types("invoice.payment_failed")), 4)
    same(s.types("customer.subscription")[-1], "customer.subscription.deleted")


@check("dunning can end with unpaid; paying the invoice makes it active again")
def _(s):
    customer, made = dunning(s, "unpaid")
    s.advance(8 * DAY)
    same(s.api.subscriptions.retrieve(made.id).status, "unpaid")
    good = customer.invoice_settings.default_payment_method
    same(s.api.invoices.pay(made.latest_invoice.id, {"payment_method": good}).status, "paid")
    same(s.api.subscriptions.retrieve(made.id).status, "active")


@check("a new card before the next retry saves a subscription that is past due")
def _(s):
    customer, made = dunning(s)
    s.api.subscriptions.update(
        made.id, {"default_payment_method": customer.invoice_settings.default_payment_method})
    s.advance(3 * DAY)
    same(s.api.subscriptions.retrieve(made.id).status, "active")


@check("cancel_at_period_end: active until the period ends, then deleted; it can be taken back before")
def _(s):
    _, made = subscription(s)
    made = s.api.subscriptions.update(made.id, {"cancel_at_period_end": True})
    same((made.status, made.cancel_at), ("active", FEBRUARY))
    made = s.api.subscriptions.update(made.id, {"cancel_at_period_end": False})
    same(made.cancel_at, None)
    s.api.subscriptions.update(made.id, {"cancel_at_period_end": True})
    s.control("clock", {"now": FEBRUARY})
    same(s.api.subscriptions.retrieve(made.id).status, "canceled")
    same(s.types("customer.subscription")[-1], "customer.subscription.deleted")
    same(len(s.api.invoices.list({"subscription": made.id}).data), 1)


@check("a subscription that is canceled at once ends at once, and only once")
def _(s):
    _, made = subscription(s)
    same(s.api.subscriptions.cancel(made.id).status, "canceled")
    same(refusal(s.api.subscriptions.cancel, made.id).code, "resource_missing")


@check("an upgrade in the middle of a period is prorated on the next invoice")
def _(s):
    s.price("price_b", 3100)
    _, made = subscription(s)
    s.advance(15 * DAY)
    made = s.api.subscriptions.update(made.id, {"items": [{"id": item(made).id, "price": "price_b"}]})
    same((item(made).price.id, item(made).current_period_end), ("price_b", FEBRUARY))
    s.control("clock", {"now": FEBRUARY + HOUR})
    invoice = s.api.invoices.list({"subscription": made.id, "limit": 1}).data[0]
    same([line.amount for line in invoice.lines.data], [-516, 1600, 3100])
    same(invoice.amount_paid, 4184)


@check("always_invoice charges an upgrade now, and a downgrade becomes credit for the next invoices")
def _(s):
    s.price("price_b", 3100)
    customer, made = subscription(s)
    s.advance(15 * DAY)

    def change(price):
        return s.api.subscriptions.update(made.id, {
            "items": [{"id": item(made).id, "price": price}], "proration_behavior": "always_invoice",
            "expand": ["latest_invoice"]})

    same(change("price_b").latest_invoice.amount_paid, 1084)
    same(change("price_a").latest_invoice.total, -1084)
    same(s.api.customers.retrieve(customer.id).balance, -1084)
    s.control("clock", {"now": FEBRUARY + HOUR})
    invoice = s.api.invoices.list({"subscription": made.id, "limit": 1}).data[0]
    same((invoice.amount_due, invoice.status), (0, "paid"))
    same(s.api.customers.retrieve(customer.id).balance, -84)


@check("an upgrade that is not paid makes the subscription past due; pending_if_incomplete keeps the old plan")
def _(s):
    s.price("price_b", 3100)
    customer, made = subscription(s)
    bad = s.api.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer.id})
    s.api.subscriptions.update(made.id, {"default_payment_method": bad.id})
    change = {"items": [{"id": item(made).id, "price": "price_b"}], "proration_behavior": "always_invoice"}
    waiting = s.api.subscriptions.update(made.id, change | {"payment_behavior": "pending_if_incomplete"})
    same((waiting.status, item(waiting).price.id), ("active", "price_a"))
    same(waiting.pending_update.subscription_items[0].price.id, "price_b")
    s.advance(23 * HOUR)
    same(s.api.subscriptions.retrieve(made.id).pending_update, None)
    made = s.api.subscriptions.update(made.id, change)
    same((made.status, item(made).price.id), ("past_due", "price_b"))


@check("a change that waits for its payment is applied when it is paid")
def _(s):
    s.price("price_b", 3100)
    customer, made = subscription(s)
    bad = s.api.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer.id})
    s.api.subscriptions.update(made.id, {"default_payment_method": bad.id})
    waiting = s.api.subscriptions.update(made.id, {
        "items": [{"id": item(made).id, "price": "price_b"}], "proration_behavior": "always_invoice",
        "payment_behavior": "pending_if_incomplete"})
    good = customer.invoice_settings.default_payment_method
    s.api.invoices.pay(waiting.latest_invoice, {"payment_method": good})
    made = s.api.subscriptions.retrieve(made.id)
    same((item(made).price.id, made.pending_update), ("price_b", None))


@check("seats: the quantity multiplies the price, and more seats are prorated")
def _(s):
    s.price()
    made = s.subscribe(s.customer(), items=[{"price": "price_a", "quantity": 5}])
    same(made.latest_invoice.amount_paid, 5000)
    s.advance(15 * DAY)
    made = s.api.subscriptions.update(made.id, {
        "items": [{"id": item(made).id, "quantity": 7}], "proration_behavior": "always_invoice",
        "expand": ["latest_invoice"]})
    same([line.amount for line in made.latest_invoice.lines.data], [-2581, 3613])
    same(item(made).quantity, 7)


@check("another interval begins a new period now")
def _(s):
    s.price("price_year", 9000, "year")
    _, made = subscription(s)
    s.advance(15 * DAY)
    made = s.api.subscriptions.update(made.id, {
        "items": [{"id": item(made).id, "price": "price_year"}], "expand": ["latest_invoice"]})
    same(item(made).current_period_end, START + (15 + 365) * DAY)
    same((made.latest_invoice.amount_paid, made.billing_cycle_anchor), (9000 - 516, START + 15 * DAY))


@check("an amount too small to charge is added to the next invoice")
def _(s):
    s.price("price_c", 1040)
    _, made = subscription(s)
    made = s.api.subscriptions.update(made.id, {
        "items": [{"id": item(made).id, "price": "price_c"}], "proration_behavior": "always_invoice",
        "expand": ["latest_invoice"]})
    same((made.latest_invoice.total, made.latest_invoice.amount_due, made.latest_invoice.status), (40, 0, "paid"))
    s.control("clock", {"now": FEBRUARY + HOUR})
    same(s.api.invoices.list({"subscription": made.id, "limit": 1}).data[0].amount_paid, 1080)


@check("an inactive or one-time price is not subscribed to")
def _(s):
    s.price()
    customer = s.customer()
    s.api.prices.update("price_a", {"active": False})
    same(refusal(lambda: s.subscribe(customer)).http_status, 400)
    once = s.api.prices.create({"unit_amount": 500, "currency": "usd", "product_data": {"name": "Mug"}})
    same(refusal(lambda: s.subscribe(customer, once.id)).http_status, 400)


@check("subscriptions are listed by customer, price and status; the canceled ones only on demand")
def _(s):
    customer, made = subscription(s)
    other = s.subscribe(customer)
    s.api.subscriptions.cancel(other.id)
    same([one.id for one in s.api.subscriptions.list({"customer": customer.id}).data], [made.id])
    same(len(s.api.subscriptions.list({"customer": customer.id, "status": "all"}).data), 2)
    same([one.id for one in s.api.subscriptions.list({"price": "price_a", "status": "ended"}).data], [other.id])


@check("deleting a customer cancels its subscriptions")
def _(s):
    customer, made = subscription(s)
    s.api.customers.delete(customer.id)
    same(s.api.subscriptions.retrieve(made.id).status, "canceled")
