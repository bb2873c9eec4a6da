import Contracts

/// Amounts in Stripe's units (docs.stripe.com/currencies): as in ISO 4217, except that króna and shilling have two
/// digits that are always zero, ariary has no digits, and amounts of three-digit currencies are multiples of ten.
enum StripeAmount {
  private static let withTwoZeros: Set<String> = ["ISK", "UGX"]

  /// `nil` when Stripe does not support the amount.
  static func encode(_ money: Money) -> Int64? {
    if withTwoZeros.contains(money.currency.code) {
      let (amount, isTooLarge) = money.amount.multipliedReportingOverflow(by: 100)
      return isTooLarge ? nil : amount
    }
    if money.currency.code == "MGA" { return money.amount % 100 == 0 ? money.amount / 100 : nil }
    if money.currency.exponent == 3, money.amount % 10 != 0 { return nil }
    return money.amount
  }

  static func decode(_ amount: Int64, _ currency: Currency) -> Money {
    if currency.code == "MGA" { return Money(amount.multipliedReportingOverflow(by: 100).partialValue, currency) }
    return Money(withTwoZeros.contains(currency.code) ? amount / 100 : amount, currency)
  }
}
