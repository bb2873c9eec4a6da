/// An amount of money in whole minor units of its currency: `{"amount": 2499, "currency": "USD"}` is $24.99.
///
/// No amount ever is a floating-point number. What comes from outside is at most ``limit`` either way, so that sums over
/// the largest cart fit an `Int64`.
public struct Money: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Minor units.
  public var amount: Int64
  public var currency: Currency

  /// The largest amount that is accepted from outside: ten thousand million in a currency of two digits.
  public static let limit: Int64 = 1_000_000_000_000

  public init(_ amount: Int64, _ currency: Currency) {
    self.amount = amount
    self.currency = currency
  }

  private enum CodingKeys: String, CodingKey { case amount, currency }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    amount = try container.decode(Int64.self, forKey: .amount)
    currency = try container.decode(Currency.self, forKey: .currency)
    guard (-Self.limit...Self.limit).contains(amount) else {
      throw ValueError(at: decoder.codingPath + [CodingKeys.amount], "must be from -\(Self.limit) to \(Self.limit)")
    }
  }

  /// For people: `24.99 USD`, with as many digits as the currency has.
  public var description: String {
    let digits = String(amount.magnitude)
    let exponent = currency.exponent
    let sign = amount < 0 ? "-" : ""
    guard exponent > 0 else { return "\(sign)\(digits) \(currency)" }
    let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(exponent)).\(padded.suffix(exponent)) \(currency)"
  }
}

/// A price: zero or more. Decoding a negative amount fails with its location.
public struct Price: Hashable, Sendable, Codable {
  public let money: Money

  /// `nil` for a negative amount.
  public init?(_ money: Money) {
    guard money.amount >= 0 else { return nil }
    self.money = money
  }

  /// Takes an amount that is known not to be negative, such as one read from the own database.
  public init(checked money: Money) { self.money = money }

  public init(from decoder: any Decoder) throws {
    money = try Money(from: decoder)
    guard money.amount >= 0 else {
      throw ValueError(location: describe(decoder.codingPath) + ".amount", message: "may not be negative")
    }
  }

  public func encode(to encoder: any Encoder) throws { try money.encode(to: encoder) }

  public var amount: Int64 { money.amount }
  public var currency: Currency { money.currency }
}
