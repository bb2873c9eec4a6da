/// An amount of money in whole minor units of its currency: `{"amount": 2499, "currency": "USD"}` is $24.99.
///
/// Amounts are never floating-point numbers.
public struct Money: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Minor units.
  public var amount: Int64
  public var currency: Currency

  public init(_ amount: Int64, _ currency: Currency) { (self.amount, self.currency) = (amount, currency) }

  /// The human-readable form, such as `24.99 USD`, with the currency's number of decimal digits.
  public var description: String {
    let digits = String(amount.magnitude)
    let exponent = currency.exponent
    let sign = amount < 0 ? "-" : ""
    guard exponent > 0 else { return "\(sign)\(digits) \(currency)" }
    let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(exponent)).\(padded.suffix(exponent)) \(currency)"
  }
}

/// A price from zero to ``limit``, so that the sum of the largest cart fits in an `Int64`. Decoding any other amount
/// fails with its location.
public struct Price: Hashable, Sendable, Codable {
  public let money: Money

  /// 10 billion in a currency with two decimal digits.
  public static let limit: Int64 = 1_000_000_000_000

  /// `nil` for a negative amount.
  public init?(_ money: Money) {
    guard money.amount >= 0 else { return nil }
    self.money = money
  }

  /// Creates a price from an amount that is known to be nonnegative, such as one read from the service's database.
  public init(checked money: Money) { self.money = money }

  private enum CodingKeys: CodingKey { case amount, currency }

  /// Documents have its range.
  private struct Amount: BoundedInteger {
    static let range = 0...Int(Price.limit)
    let value: Int
    init(checked: Int) { value = checked }

    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Int.self)
      guard Self.range.contains(value) else {
        throw ValueError(
          at: decoder.codingPath, value < 0 ? "must not be negative" : "must be at most \(Self.range.upperBound)")
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let amount = try container.decode(Amount.self, forKey: .amount).value
    money = Money(Int64(amount), try container.decode(Currency.self, forKey: .currency))
  }

  public func encode(to encoder: any Encoder) throws { try money.encode(to: encoder) }

  public var amount: Int64 { money.amount }
  public var currency: Currency { money.currency }
}
