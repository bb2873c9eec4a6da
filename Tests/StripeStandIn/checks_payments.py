"""What the stand-in does with payments, cards and setup intents."""

import urllib.request

from standin import DAY, client, check, raw, refusal, same


@check("a card pays at once: a charge with its card, and a balance transaction with its fee")
def _(s):
    intent = s.pay(2000, expand=["latest_charge.balance_transaction"])
    same(intent.status, "succeeded")
    charge = intent.latest_charge
    same((charge.amount, charge.payment_method_details.card.last4), (2000, "4242"))
    same((charge.balance_transaction.amount, charge.balance_transaction.fee), (2000, 88))
    same(s.types(), ["payment_intent.created", "charge.succeeded", "payment_intent.succeeded"])


@check("an intent goes from requires_payment_method over requires_confirmation to succeeded")
def _(s):
    intent = s.api.payment_intents.create({"amount": 2000, "currency": "usd"})
    same(intent.status, "requires_payment_method")
    intent = s.api.payment_intents.update(intent.id, {"payment_method": "pm_card_visa"})
    same(intent.status, "requires_confirmation")
    same(s.api.payment_intents.confirm(intent.id).status, "succeeded")


@check("a confirmation without a payment method is refused with payment_intent_unexpected_state")
def _(s):
    intent = s.api.payment_intents.create({"amount": 2000, "currency": "usd"})
    same(refusal(s.api.payment_intents.confirm, intent.id).code, "payment_intent_unexpected_state")


@check("an intent that succeeded is not confirmed again; the error carries it")
def _(s):
    intent = s.pay()
    error = refusal(s.api.payment_intents.confirm, intent.id)
    same((error.http_status, error.error.payment_intent["id"]), (400, intent.id))


@check("a declined card answers 402 with the intent, and leaves a failed charge")
def _(s):
    error = refusal(lambda: s.pay(card="pm_card_visa_chargeDeclinedInsufficientFunds"))
    same((error.http_status, error.code, error.error.decline_code), (402, "card_declined", "insufficient_funds"))
    intent = s.api.payment_intents.retrieve(error.error.payment_intent["id"])
    same((intent.status, intent.payment_method), ("requires_payment_method", None))
    same(intent.last_payment_error.decline_code, "insufficient_funds")
    same(s.api.charges.retrieve(error.error.charge).status, "failed")
    same(s.types()[-2:], ["charge.failed", "payment_intent.payment_failed"])


@check("another card pays the intent of a declined one")
def _(s):
    error = refusal(lambda: s.pay(card="pm_card_visa_chargeDeclined"))
    id = error.error.payment_intent["id"]
    intent = s.api.payment_intents.confirm(id, {"payment_method": "pm_card_mastercard"})
    same((intent.status, intent.last_payment_error), ("succeeded", None))


for name, code in (("chargeDeclinedExpiredCard", "expired_card"), ("chargeDeclinedIncorrectCvc", "incorrect_cvc"),
                   ("chargeDeclinedProcessingError", "processing_error")):
    @check(f"pm_card_{name} declines with {code}")
    def _(s, name=name, code=code):
        same(refusal(lambda: s.pay(card=f"pm_card_{name}")).code, code)


@check("3-D Secure: requires_action until the buyer authenticates")
def _(s):
    intent = s.pay(card="pm_card_authenticationRequired")
    same((intent.status, intent.next_action.type, intent.latest_charge), ("requires_action", "use_stripe_sdk", None))
    s.control(f"payment_intents/{intent.id}/authenticate", {"outcome": "succeed"})
    same(s.api.payment_intents.retrieve(intent.id).status, "succeeded")


@check("with confirmation_method manual, the shop confirms again after 3-D Secure")
def _(s):
    intent = s.pay(card="pm_card_authenticationRequired", confirmation_method="manual")
    s.control(f"payment_intents/{intent.id}/authenticate", {"outcome": "succeed"})
    same(s.api.payment_intents.retrieve(intent.id).status, "requires_confirmation")
    same(s.api.payment_intents.confirm(intent.id).status, "succeeded")


@check("3-D Secure that fails ends with payment_intent_authentication_failure and no charge")
def _(s):
    intent = s.pay(card="pm_card_authenticationRequired")
    s.control(f"payment_intents/{intent.id}/authenticate", {"outcome": "fail"})
    intent = s.api.payment_intents.retrieve(intent.id)
    same(intent.status, "requires_payment_method")
    same(intent.last_payment_error.code, "payment_intent_authentication_failure")
    same(len(s.api.charges.list().data), 0)


@check("3-D Secure succeeds and the bank declines all the same")
def _(s):
    intent = s.pay(card="pm_card_authenticationRequiredChargeDeclinedInsufficientFunds")
    s.control(f"payment_intents/{intent.id}/authenticate", {"outcome": "succeed"})
    error = s.api.payment_intents.retrieve(intent.id).last_payment_error
    same(error.decline_code, "insufficient_funds")


@check("with a return_url the buyer is sent to the bank's page and back")
def _(s):
    with_return = s.pay(card="pm_card_authenticationRequired", return_url=s.url + "/_control/clock")
    same(with_return.next_action.type, "redirect_to_url")
    url = with_return.next_action.redirect_to_url.url
    with urllib.request.urlopen(url + "?outcome=succeed", timeout=120) as answer:
        same(answer.url, f"{s.url}/_control/clock?payment_intent={with_return.id}")
    same(s.api.payment_intents.retrieve(with_return.id).status, "succeeded")


@check("off session, a card that needs authentication declines with authentication_required")
def _(s):
    customer = s.customer("pm_card_authenticationRequiredOnSetup")
    card = customer.invoice_settings.default_payment_method
    error = refusal(lambda: s.pay(card=card, customer=customer.id, off_session=True))
    same((error.code, error.error.payment_intent["status"]), ("authentication_required", "requires_payment_method"))


@check("error_on_requires_action declines instead of requires_action")
def _(s):
    error = refusal(lambda: s.pay(card="pm_card_authenticationRequired", error_on_requires_action=True))
    same(error.code, "authentication_required")


@check("a SetupIntent requires action, keeps the card for the customer, and the card then pays off session")
def _(s):
    customer = s.api.customers.create()
    setup = s.api.setup_intents.create({"customer": customer.id, "payment_method":
                                        "pm_card_authenticationRequiredOnSetup", "confirm": True})
    same((setup.status, setup.usage), ("requires_action", "off_session"))
    s.control(f"setup_intents/{setup.id}/authenticate", {"outcome": "succeed"})
    setup = s.api.setup_intents.retrieve(setup.id, {"expand": ["payment_method"]})
    same((setup.status, setup.payment_method.customer), ("succeeded", customer.id))
    same(s.pay(card=setup.payment_method.id, customer=customer.id, off_session=True).status, "succeeded")


@check("a SetupIntent whose authentication fails keeps no card")
def _(s):
    customer = s.api.customers.create()
    setup = s.api.setup_intents.create({"customer": customer.id, "payment_method": "pm_card_authenticationRequired",
                                        "confirm": True})
    s.control(f"setup_intents/{setup.id}/authenticate", {"outcome": "fail"})
    setup = s.api.setup_intents.retrieve(setup.id)
    same((setup.status, setup.last_setup_error.code),
         ("requires_payment_method", "setup_intent_authentication_failure"))
    same(len(s.api.customers.payment_methods.list(customer.id).data), 0)


@check("a SetupIntent with a declined card answers 402 with the intent")
def _(s):
    customer = s.api.customers.create()
    error = refusal(s.api.setup_intents.create, {"customer": customer.id, "payment_method": "pm_card_chargeDeclined",
                                                 "confirm": True})
    same((error.code, error.error.setup_intent["status"]), ("card_declined", "requires_payment_method"))


@check("a SetupIntent is canceled once")
def _(s):
    setup = s.api.setup_intents.create()
    same(s.api.setup_intents.cancel(setup.id).status, "canceled")
    same(refusal(s.api.setup_intents.cancel, setup.id).code, "setup_intent_unexpected_state")


@check("a payment method used once without a customer is refused the second time")
def _(s):
    card = s.api.payment_methods.create({"type": "card", "card": {
        "number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"}})
    same(s.pay(card=card.id).status, "succeeded")
    error = refusal(lambda: s.pay(card=card.id))
    assert error.user_message.startswith("This PaymentMethod was previously used without being attached"), error
    customer = s.api.customers.create()
    error = refusal(s.api.payment_methods.attach, card.id, {"customer": customer.id})
    same(error.http_status, 400)


@check("a declined card without a customer is used up as well")
def _(s):
    card = s.api.payment_methods.retrieve("pm_card_chargeCustomerFail")
    refusal(lambda: s.pay(card=card.id))
    same(refusal(lambda: s.pay(card=card.id)).http_status, 400)


@check("a kept card pays again and again, only for its customer, and not after it was detached")
def _(s):
    ada, bob = s.customer(), s.customer()
    card = ada.invoice_settings.default_payment_method
    for _ in range(2):
        same(s.pay(card=card, customer=ada.id).status, "succeeded")
    same(refusal(lambda: s.pay(card=card)).http_status, 400)
    same(refusal(lambda: s.pay(card=card, customer=bob.id)).http_status, 400)
    same(s.api.payment_methods.detach(card).customer, None)
    same(refusal(lambda: s.pay(card=card, customer=ada.id)).http_status, 400)
    same(s.api.customers.retrieve(ada.id).invoice_settings.default_payment_method, None)


@check("setup_future_usage keeps the card with the customer once it has paid")
def _(s):
    customer = s.api.customers.create()
    intent = s.pay(customer=customer.id, setup_future_usage="off_session")
    kept = s.api.customers.payment_methods.list(customer.id).data
    same([card.id for card in kept], [intent.payment_method])


@check("pm_card_chargeDeclined cannot be kept, pm_card_chargeCustomerFail can and then declines")
def _(s):
    customer = s.api.customers.create()
    error = refusal(s.api.payment_methods.attach, "pm_card_chargeDeclined", {"customer": customer.id})
    same((error.http_status, error.code), (402, "card_declined"))
    card = s.api.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer.id})
    same(refusal(lambda: s.pay(card=card.id, customer=customer.id)).code, "card_declined")


@check("a card shows brand, last four and expiry")
def _(s):
    card = s.api.payment_methods.create({"type": "card", "card": {
        "number": "378282246310005", "exp_month": 7, "exp_year": 2031, "cvc": "1234"}}).card
    same((card.brand, card.last4, card.exp_month, card.exp_year), ("amex", "0005", 7, 2031))


@check("card data that cannot be right is a card error: number, expiry, a real card in test mode")
def _(s):
    def code(**card):
        card = {"number": "4242424242424242", "exp_month": 1, "exp_year": 2030} | card
        return refusal(s.api.payment_methods.create, {"type": "card", "card": card}).code
    same(code(number="4242424242424241"), "incorrect_number")
    same(code(exp_year=2020), "invalid_expiry_year")
    same(code(exp_month=13), "invalid_expiry_month")
    same(code(number="4539578763621486"), "card_declined")


@check("amounts are whole, large enough and not too large, and currencies known")
def _(s):
    def code(**fields):
        return refusal(s.api.payment_intents.create, {"amount": 1000, "currency": "usd"} | fields).code
    same(code(amount=49), "amount_too_small")
    same(code(amount=100_000_000), "amount_too_large")
    same(code(amount="12.5"), "parameter_invalid_integer")
    same(refusal(s.api.payment_intents.create, {"amount": 1000, "currency": "xxx"}).param, "currency")
    same(refusal(s.api.payment_intents.create, {"currency": "usd"}).param, "amount")


@check("an unknown parameter is refused with its name")
def _(s):
    error = refusal(s.api.payment_intents.create, {"amount": 1000, "currency": "usd", "colour": "red"})
    same((error.code, error.param), ("parameter_unknown", "colour"))


@check("a canceled intent cannot be confirmed, a paid one cannot be canceled")
def _(s):
    intent = s.api.payment_intents.create({"amount": 1000, "currency": "usd", "payment_method": "pm_card_visa"})
    same(s.api.payment_intents.cancel(intent.id, {"cancellation_reason": "abandoned"}).status, "canceled")
    same(refusal(s.api.payment_intents.confirm, intent.id).code, "payment_intent_unexpected_state")
    same(refusal(s.api.payment_intents.cancel, s.pay().id).code, "payment_intent_unexpected_state")


@check("manual capture holds the amount until it is captured, in part")
def _(s):
    intent = s.pay(2000, capture_method="manual")
    same((intent.status, intent.amount_capturable), ("requires_capture", 2000))
    same(s.control("books"), {})
    intent = s.api.payment_intents.capture(intent.id, {"amount_to_capture": 1500})
    same((intent.status, intent.amount_received), ("succeeded", 1500))
    same(s.control("books")["usd"]["charges"], 1500)


@check("a payment in processing succeeds after days, or fails on command")
def _(s):
    s.fail("/v1/payment_intents", "processing", times=2)
    first, second = s.pay(), s.pay()
    same(first.status, "processing")
    s.control(f"payment_intents/{second.id}/settle", {"outcome": "fail"})
    s.advance(3 * DAY)
    same(s.api.payment_intents.retrieve(first.id).status, "succeeded")
    same(s.api.payment_intents.retrieve(second.id).status, "requires_payment_method")


@check("an app confirms with the publishable key and the client secret, and nothing else")
def _(s):
    intent = s.api.payment_intents.create({"amount": 1000, "currency": "usd"})
    path = f"/v1/payment_intents/{intent.id}/confirm"
    form = "payment_method=pm_card_visa&client_secret="
    same(raw(s.url, "POST", path, form + "guess", key="pk_test_app")[0], 401)
    same(raw(s.url, "POST", "/v1/refunds", f"payment_intent={intent.id}", key="pk_test_app")[0], 401)
    status, _, body = raw(s.url, "POST", path, form + intent.client_secret, key="pk_test_app")
    same((status, body["status"]), (200, "succeeded"))


@check("a wrong key is 401, an unknown object 404, an unknown path 404")
def _(s):
    same(type(refusal(client(s.url, "nonsense").customers.create)).__name__, "AuthenticationError")
    error = refusal(s.api.payment_intents.retrieve, "pi_none")
    same((error.http_status, error.code), (404, "resource_missing"))
    same(raw(s.url, "GET", "/v1/nothing")[0], 404)


@check("metadata is merged, emptied keys go, and limits hold")
def _(s):
    customer = s.api.customers.create({"metadata": {"a": "1", "b": "2"}})
    customer = s.api.customers.update(customer.id, {"metadata": {"b": "", "c": "3"}})
    same(customer.metadata.to_dict(), {"a": "1", "c": "3"})
    same(refusal(s.api.customers.create, {"metadata": {"x" * 41: "1"}}).http_status, 400)
    same(refusal(s.api.customers.create, {"metadata": {"x": "1" * 501}}).http_status, 400)


@check("a deleted customer is gone, with its cards")
def _(s):
    customer = s.customer()
    same(s.api.customers.delete(customer.id).deleted, True)
    same(s.api.customers.retrieve(customer.id).deleted, True)
    same(refusal(s.api.customers.update, customer.id, {"name": "B"}).code, "resource_missing")
    same(refusal(lambda: s.pay(customer=customer.id)).param, "customer")


@check("lists are paged, newest first, by starting_after, ending_before and created")
def _(s):
    ids = []
    for _ in range(5):
        ids.insert(0, s.pay().id)
        s.advance(10)
    first = s.api.payment_intents.list({"limit": 2})
    same(([one.id for one in first.data], first.has_more), (ids[:2], True))
    second = s.api.payment_intents.list({"limit": 2, "starting_after": ids[1]})
    same([one.id for one in second.data], ids[2:4])
    back = s.api.payment_intents.list({"limit": 2, "ending_before": ids[4]})
    same([one.id for one in back.data], ids[2:4])
    same([one.id for one in s.api.payment_intents.list({"limit": 2}).auto_paging_iter()], ids)
    since = s.api.payment_intents.retrieve(ids[1]).created
    same([one.id for one in s.api.payment_intents.list({"created": {"gte": since}}).data], ids[:2])
    same([one.amount for one in s.api.balance_transactions.list({"type": "charge"}).data], [2000] * 5)
