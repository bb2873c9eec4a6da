"""What the stand-in does with refunds, disputes and the balance."""

from standin import DAY, check, refusal, same


@check("a refund in parts: the charge shows how much is refunded, and too much is refused")
def _(s):
    intent = s.pay(2000)
    same(s.api.refunds.create({"payment_intent": intent.id, "amount": 500, "metadata": {"refund": "r"}}).status,
         "succeeded")
    error = refusal(s.api.refunds.create, {"payment_intent": intent.id, "amount": 1501})
    same((error.http_status, error.param), (400, "amount"))
    same(s.api.refunds.create({"payment_intent": intent.id}).amount, 1500)
    charge = s.api.charges.retrieve(intent.latest_charge)
    same((charge.amount_refunded, charge.refunded), (2000, True))
    same(refusal(s.api.refunds.create, {"payment_intent": intent.id}).code, "charge_already_refunded")
    same([one.amount for one in s.api.refunds.list({"payment_intent": intent.id}).data], [1500, 500])


@check("a refund emits refund.created and charge.refunded with what was before")
def _(s):
    intent = s.pay(2000)
    s.api.refunds.create({"payment_intent": intent.id, "amount": 500})
    same(s.types()[-2:], ["refund.created", "charge.refunded"])
    event = s.api.events.list({"limit": 1}).data[0]
    same(event.data.previous_attributes["amount_refunded"], 0)


@check("an intent that has not succeeded cannot be refunded")
def _(s):
    intent = s.api.payment_intents.create({"amount": 1000, "currency": "usd"})
    same(refusal(s.api.refunds.create, {"payment_intent": intent.id}).http_status, 400)


@check("a refund of pm_card_refundFail succeeds, and fails a day later; the charge may be refunded again")
def _(s):
    intent = s.pay(2000, "pm_card_refundFail")
    refund = s.api.refunds.create({"payment_intent": intent.id})
    same(refund.status, "succeeded")
    s.advance(DAY)
    refund = s.api.refunds.retrieve(refund.id)
    same((refund.status, refund.failure_reason), ("failed", "expired_or_canceled_card"))
    same(s.types()[-4:], ["charge.updated", "refund.updated", "charge.refund.updated", "refund.failed"])
    charge = s.api.charges.retrieve(intent.latest_charge)
    same((charge.amount_refunded, charge.refunded), (0, False))
    same(s.control("books")["usd"]["refunds"], 0)


@check("a refund of pm_card_pendingRefund is pending for a day")
def _(s):
    refund = s.api.refunds.create({"payment_intent": s.pay(2000, "pm_card_pendingRefund").id})
    same((refund.status, refund.pending_reason), ("pending", "processing"))
    s.advance(DAY)
    same(s.api.refunds.retrieve(refund.id).status, "succeeded")
    same(s.types()[-2:], ["refund.updated", "charge.refund.updated"])


@check("a refund stays pending by a fault until the bank answers on command")
def _(s):
    s.fail("/v1/refunds", "refundPending", times=2)
    intent = s.pay(2000)
    first, second = (s.api.refunds.create({"payment_intent": intent.id, "amount": 1000}) for _ in range(2))
    s.advance(30 * DAY)
    same(s.api.refunds.retrieve(first.id).status, "pending")
    s.control(f"refunds/{first.id}", {"status": "succeeded"})
    s.control(f"refunds/{second.id}", {"status": "failed"})
    same([s.api.refunds.retrieve(one.id).status for one in (first, second)], ["succeeded", "failed"])
    same(s.control("books")["usd"]["refunds"], 1000)


@check("a refund in the dashboard reaches the shop as charge.refunded")
def _(s):
    intent = s.pay(2000)
    s.control("refunds", {"payment_intent": intent.id, "amount": 700})
    same(s.types()[-1], "charge.refunded")
    same(s.api.charges.retrieve(intent.latest_charge).amount_refunded, 700)


@check("a dispute withdraws the money with a fee, and lost it stays away")
def _(s):
    intent = s.pay(2000)
    dispute = s.control("disputes", {"payment_intent": intent.id})
    same((dispute["amount"], dispute["status"]), (2000, "needs_response"))
    same(s.control("books")["usd"]["balance"], 2000 - 88 - 2000 - 1500)
    same(refusal(s.api.refunds.create, {"payment_intent": intent.id}).code, "charge_disputed")
    s.control(f"disputes/{dispute['id']}", {"status": "lost"})
    same(s.types("charge.dispute"),
         ["charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.closed"])
    same(s.api.disputes.retrieve(dispute["id"]).status, "lost")


@check("a dispute that is won gives the money back")
def _(s):
    intent = s.pay(2000)
    dispute = s.control("disputes", {"payment_intent": intent.id, "amount": 1200})
    s.control(f"disputes/{dispute['id']}", {"status": "won"})
    same(s.types("charge.dispute")[-2:], ["charge.dispute.closed", "charge.dispute.funds_reinstated"])
    same(s.control("books")["usd"]["disputes"], 0)


@check("evidence decides a dispute, and without an answer it is lost after a week")
def _(s):
    first, second = (s.pay(2000, "pm_card_createDispute") for _ in range(2))
    by_charge = {one.charge: one for one in s.api.disputes.list().data}
    won, unanswered = by_charge[first.latest_charge], by_charge[second.latest_charge]
    same((won.reason, won.status), ("fraudulent", "needs_response"))
    s.api.disputes.update(won.id, {"evidence": {"uncategorized_text": "winning_evidence"}, "submit": True})
    same(s.api.disputes.retrieve(won.id).status, "won")
    s.advance(7 * DAY)
    same(s.api.disputes.retrieve(unanswered.id).status, "lost")


@check("the balance is the sum of its transactions, available after two days")
def _(s):
    s.pay(2000)
    s.api.refunds.create({"payment_intent": s.pay(1000).id})
    net = sum(one.net for one in s.api.balance_transactions.list({"limit": 100}).data)
    same(s.control("books")["usd"]["balance"], net)
    sources = s.api.balance_transactions.list({"expand": ["data.source"]}).data
    same([one.source.object for one in sources], ["refund", "charge", "charge"])
    same(s.api.balance.retrieve().pending[0].amount, net)
    s.advance(2 * DAY)
    same(s.api.balance.retrieve().available[0].amount, net)
