public typealias PayoutID = ID<Payout>

/// Earnings that a seller wants to be paid. While it is requested, its amount is held.
public struct Payout: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum {
    case requested, paid
    /// The amount is available again.
    case rejected
  }

  public var id: PayoutID
  /// Absent for a deleted account, whose earnings are still due.
  public var sellerID: UserID?
  public var amount: Money
  public var status: Status
  /// The account to pay to; absent when the seller has deleted the account without one, or it is no longer needed.
  public var account: PayoutAccount?
  /// The bank's reference of the payment.
  public var reference: String?
  /// The reason why it was rejected.
  public var reason: String?
  /// Only for those who pay: the part that refunds since the request have left without cover. Paying it makes the
  /// seller's earnings a debt.
  public var shortfall: Money?
  public var createdAt: Timestamp
  public var endedAt: Timestamp?
  public init(
    id: PayoutID, sellerID: UserID?, amount: Money, status: Status, account: PayoutAccount?, reference: String?,
    reason: String?, shortfall: Money?, createdAt: Timestamp, endedAt: Timestamp?
  ) {
    (self.id, self.sellerID, self.amount, self.status, self.account) = (id, sellerID, amount, status, account)
    (self.reference, self.reason, self.shortfall) = (reference, reason, shortfall)
    (self.createdAt, self.endedAt) = (createdAt, endedAt)
  }
}

/// A bank account as shown.
public struct PayoutAccount: Codable, Sendable, Equatable {
  public var holder: String
  /// The country and the last four characters, such as `DE****3000`.
  public var maskedIBAN: String
  public init(holder: String, maskedIBAN: String) { (self.holder, self.maskedIBAN) = (holder, maskedIBAN) }
}

/// A bank account in full.
public struct BankAccount: Codable, Sendable, Equatable {
  public var holder: ShortText
  public var iban: IBAN
  public init(holder: ShortText, iban: IBAN) { (self.holder, self.iban) = (holder, iban) }

  public var masked: PayoutAccount { PayoutAccount(holder: holder.rawValue, maskedIBAN: iban.masked) }
}
