"""Stripe's test cards and what each of them does (docs.stripe.com/testing)."""

DECLINES = {
    "generic_decline": ("card_declined", "Your card was declined."),
    "insufficient_funds": ("card_declined", "Your card has insufficient funds."),
    "lost_card": ("card_declined", "Your card was declined."),
    "stolen_card": ("card_declined", "Your card was declined."),
    "fraudulent": ("card_declined", "Your card was declined."),
    "card_velocity_exceeded": (
        "card_declined",
        "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
    ),
    "expired_card": ("expired_card", "Your card has expired."),
    "incorrect_cvc": ("incorrect_cvc", "Your card's security code is incorrect."),
    "processing_error": (
        "processing_error", "An error occurred while processing your card. Try again in a little bit.",
    ),
    "authentication_required": (
        "authentication_required", "Your card was declined. This transaction requires authentication.",
    ),
}


class Card:
    """A test card. Its `names` follow `pm_card_` and `tok_`.

    decline: the reason for which each charge is declined; `attaches`: a customer can keep the card all the same.
    authentication: `always`, `unless_set_up` (off session only if no SetupIntent succeeded), or `on_session`.
    dispute: the reason of the dispute that each charge meets.
    refund: `pending` (succeeds later) or `failing` (succeeds, and fails later).
    """

    def __init__(self, number, names, brand="visa", funding="credit", decline=None, attaches=False,
                 authentication=None, dispute=None, refund=None):
        self.number, self.names, self.brand, self.funding = number, names.split(), brand, funding
        self.decline, self.attaches, self.authentication = decline, attaches, authentication
        self.dispute, self.refund = dispute, refund


ALL = [
    Card("4242424242424242", "visa us"),
    Card("4000056655665556", "visa_debit", funding="debit"),
    Card("5555555555554444", "mastercard", "mastercard"),
    Card("5200828282828210", "mastercard_debit", "mastercard", "debit"),
    Card("5105105105105100", "mastercard_prepaid", "mastercard", "prepaid"),
    Card("378282246310005", "amex", "amex"),
    Card("6011111111111117", "discover", "discover"),
    Card("3056930009020004", "diners", "diners"),
    Card("3566002020360505", "jcb", "jcb"),
    Card("6200000000000005", "unionpay", "unionpay"),
    Card("4000000000000077", "bypassPending"),
    # Declines when charged and when attached.
    Card("4000000000000002", "chargeDeclined visa_chargeDeclined", decline="generic_decline"),
    Card("4000000000009995", "chargeDeclinedInsufficientFunds visa_chargeDeclinedInsufficientFunds",
         decline="insufficient_funds"),
    Card("4000000000009987", "visa_chargeDeclinedLostCard", decline="lost_card"),
    Card("4000000000009979", "visa_chargeDeclinedStolenCard", decline="stolen_card"),
    Card("4000000000000069", "chargeDeclinedExpiredCard", decline="expired_card"),
    Card("4000000000000127", "chargeDeclinedIncorrectCvc", decline="incorrect_cvc"),
    Card("4000000000000119", "chargeDeclinedProcessingError", decline="processing_error"),
    Card("4000000000006975", "visa_chargeDeclinedVelocityLimitExceeded", decline="card_velocity_exceeded"),
    Card("4100000000000019", "radarBlock", decline="fraudulent"),
    # Attaches, and declines when charged.
    Card("4000000000000341", "chargeCustomerFail", decline="generic_decline", attaches=True),
    # 3-D Secure.
    Card("4000002500003155", "authenticationRequiredOnSetup", authentication="unless_set_up"),
    Card("4000002760003184", "authenticationRequired", authentication="always"),
    Card("4000003800000446", "authenticationRequiredSetupForOffSession", authentication="on_session"),
    Card("4000008260003178", "authenticationRequiredChargeDeclinedInsufficientFunds", authentication="always",
         decline="insufficient_funds", attaches=True),
    Card("4000000000003220", "threeDSecure2Required", authentication="always"),
    # Disputes and refunds.
    Card("4000000000000259", "createDispute", dispute="fraudulent"),
    Card("4000000000002685", "createDisputeProductNotReceived", dispute="product_not_received"),
    Card("4000000000007726", "pendingRefund", refund="pending"),
    Card("4000000000005126", "refundFail", refund="failing"),
]
BY_NUMBER = {card.number: card for card in ALL}
BY_NAME = {name: card for card in ALL for name in card.names}
