extension OrdersAPI {
  /// Newest first.
  public struct ListSales: PagedEndpoint {
    public typealias Response = Page<SoldLine>
    public static let operation = Operation.get("/v1/sales", "List the caller's sales")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Newest month first.
  public struct GetSalesSummary: Endpoint {
    public typealias Response = Page<SalesMonth>
    public static let operation = Operation.get("/v1/sales/summary", "Get the caller's sales by month and currency")
    public init() {}
  }

  /// Masked; only who pays sees it in full.
  public struct GetPayoutAccount: Endpoint {
    public typealias Response = PayoutAccount
    public static let operation = Operation.get(
      "/v1/payout-account", "Get the bank account for pay-outs", problems: [.payoutAccountNotFound]
    )
    public init() {}
  }

  /// Pay-outs that are already requested keep their account.
  public struct PutPayoutAccount: Endpoint {
    public typealias Response = PayoutAccount
    public static let operation = Operation.put("/v1/payout-account", "Set the bank account for pay-outs")
    public var holder: ShortText
    public var iban: IBAN
    public init(holder: ShortText, iban: IBAN) { (self.holder, self.iban) = (holder, iban) }
  }

  /// Holds an amount of the caller's available earnings until it is paid or rejected.
  public struct RequestPayout: Endpoint {
    public typealias Response = Payout
    public static let operation = Operation.post(
      "/v1/payouts", "Request a pay-out of earnings", idempotency: .requiresKey, success: 201,
      problems: [.payoutAccountNotFound, .payoutTooSmall, .insufficientEarnings]
    )
    /// Minor units of the currency.
    public var amount: PayoutAmount
    public var currency: Currency
    public init(amount: PayoutAmount, currency: Currency) { (self.amount, self.currency) = (amount, currency) }
  }

  /// Newest first.
  public struct ListPayouts: PagedEndpoint {
    public typealias Response = Page<Payout>
    public static let operation = Operation.get("/v1/payouts", "List the caller's pay-outs")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Newest first.
  public struct ListAllPayouts: PagedEndpoint {
    public typealias Response = Page<Payout>
    public static let operation = Operation.get("/v1/admin/payouts", "List all pay-outs", access: .owners)
    public var status: Payout.Status?
    public var limit: PageSize?
    public var cursor: String?
    public init(status: Payout.Status? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.status, self.limit, self.cursor) = (status, limit, cursor)
    }
  }

  /// In full, for the payment. Each look is recorded in the audit trail.
  public struct GetPayoutBankAccount: Endpoint {
    public typealias Response = BankAccount
    public static let operation = Operation.get(
      "/v1/admin/payouts/{id}/bank-account", "Get the bank account of a pay-out", access: .owners,
      problems: [.payoutNotFound, .payoutAccountNotFound]
    )
    public var id: PayoutID
    public init(id: PayoutID) { self.id = id }
  }

  /// Books a payment that the owner has made at the bank. Repeated with the same reference, it changes nothing.
  public struct PayPayout: Endpoint {
    public typealias Response = Payout
    public static let operation = Operation.post(
      "/v1/payouts/{id}/pay", "Record the payment of a pay-out", access: .owners, idempotency: .idempotent,
      problems: [.payoutNotFound, .payoutEnded]
    )
    public var id: PayoutID
    /// The bank's reference.
    public var reference: ShortText
    public init(id: PayoutID, reference: ShortText) { (self.id, self.reference) = (id, reference) }
  }

  /// The amount is available again. Of a deleted account's pay-out, only what is no longer covered can be rejected; the
  /// rest becomes another pay-out.
  public struct RejectPayout: Endpoint {
    public typealias Response = Payout
    public static let operation = Operation.post(
      "/v1/payouts/{id}/reject", "Reject a pay-out", access: .owners, idempotency: .idempotent,
      problems: [.payoutNotFound, .payoutEnded, .payoutIsDue]
    )
    public var id: PayoutID
    public var reason: ShortText
    public init(id: PayoutID, reason: ShortText) { (self.id, self.reason) = (id, reason) }
  }
}

/// An amount to pay out, in minor units.
public struct PayoutAmount: BoundedInteger {
  public static let range = 1...Int(Price.limit)
  public let value: Int
  public init(checked: Int) { value = checked }
}

extension Problem.Kind {
  public static let payoutNotFound = Self(
    "payout-not-found", status: 404, "There is no such pay-out",
    meaning: "The pay-out does not exist, or is another seller's.",
    remedy: "Load the pay-outs again.")
  public static let payoutAccountNotFound = Self(
    "payout-account-not-found", status: 404, "There is no bank account for pay-outs",
    meaning: "The seller has not given a bank account.",
    remedy: "Ask for the bank account first.")
  public static let payoutTooSmall = Self(
    "payout-too-small", status: 409, "The pay-out is below the minimum",
    meaning: "The amount is below what is paid out at once.",
    remedy: "Ask for a larger amount, or wait for more earnings.")
  public static let insufficientEarnings = Self(
    "insufficient-earnings", status: 409, "The available earnings are insufficient",
    meaning: "Less is available than asked for; part of the earnings may still be held.",
    remedy: "Load the balance again, and ask for at most `available`.")
  public static let payoutEnded = Self(
    "payout-ended", status: 409, "The pay-out is already paid or rejected",
    meaning: "The pay-out has reached its final state.",
    remedy: "Load the pay-out again.")
  public static let payoutIsDue = Self(
    "payout-is-due", status: 409, "The pay-out of a deleted account stays due",
    meaning: "The account was deleted, so that what it has earned has to be paid out.",
    remedy: "Pay it out instead of rejecting it.")
}
