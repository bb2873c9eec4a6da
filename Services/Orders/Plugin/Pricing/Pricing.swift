import Contracts

/// An item to be priced.
struct CartLine: Sendable, Equatable {
  var item: ItemReference
  var title: String
  var sku: String?
  var image: MediaID?
  var quantity: Int
  /// Per unit.
  var unitPrice: Money
  var taxClass: String
  /// Whether it is sent to an address.
  var isShipped: Bool
  /// Per unit.
  var weightGrams: Int
  /// The owner of the listing; `nil` for products of the shop.
  var sellerID: UserID?
  /// The current terms of the license.
  var terms: LicenseOption?
  /// The listing's recording.
  var audio: MediaID?
}

/// The lines and totals of a priced cart.
struct PricedCart: Sendable, Equatable {
  var lines: [PricedLine]
  var totals: Totals
}

/// Computes tax and shipping according to the pricing rules.
///
/// Tax is rounded once per line (``Rounding``), and totals are sums of rounded lines. Where prices include the tax, the
/// net amount is rounded and the tax is the remainder, so that `net + tax = gross` always holds.
struct Pricing: Sendable {
  let rules: PricingRules

  static let shippingClass = "shipping"

  /// - Parameter things: At least one, all in the same currency.
  func price(_ cartLines: [CartLine], currency: Currency, region: Region?) -> PricedCart {
    let lines = cartLines.map { line($0, currency, region) }
    let subtotal = lines.reduce(0) { $0 + $1.net.amount }
    let shipping = shipping(of: cartLines, subtotal: subtotal, currency, region)
    let tax = lines.reduce(shipping.tax) { $0 + $1.tax.amount }
    let total = subtotal + tax + shipping.net
    return PricedCart(
      lines: lines,
      totals: Totals(currency: currency, subtotal: subtotal, tax: tax, shipping: shipping.net, total: total)
    )
  }

  /// Requires a shipping rule for what has to be shipped: without one, the shop does not ship there.
  ///
  /// - Throws: ``Problem`` `region-not-served`; `invalid-request` when the region is missing.
  func requireShipping(_ cartLines: [CartLine], currency: Currency, to region: Region?) throws(Problem) {
    guard cartLines.contains(where: \.isShipped), shippingRule(region, currency) == nil else { return }
    let isElsewhere = rules.shipping.contains { $0.base.currency == currency }
    guard region == nil, isElsewhere else { throw Problem(.regionNotServed) }
    let message = "is required to compute the shipping cost"
    throw Problem(.invalidRequest, errors: [.init(location: "body.region", message: message)])
  }

  private func line(_ cartLine: CartLine, _ currency: Currency, _ region: Region?) -> PricedLine {
    let rule = taxRule(region, cartLine.taxClass)
    let amounts = Self.split(cartLine.unitPrice.amount * Int64(cartLine.quantity), rule)
    return PricedLine(
      productID: cartLine.item.product?.productID,
      variantID: cartLine.item.product?.variantID,
      listingID: cartLine.item.listingID,
      license: cartLine.item.license,
      title: cartLine.title,
      sku: cartLine.sku,
      image: cartLine.image,
      quantity: cartLine.quantity,
      unitPrice: cartLine.unitPrice,
      taxRate: rule?.rate.value ?? 0,
      net: Money(amounts.net, currency),
      tax: Money(amounts.tax, currency),
      gross: Money(amounts.net + amounts.tax, currency)
    )
  }

  /// Splits an amount into net and tax according to a rule.
  static func split(_ amount: Int64, _ rule: TaxRule?) -> (net: Int64, tax: Int64) {
    guard let rule else { return (amount, 0) }
    let million: Int128 = 1_000_000
    let rate = Int128(rule.rate.value)
    if rule.isIncluded {
      let net = Rounding.halfEven(Int128(amount) * million, over: million + rate)
      return (net, amount - net)
    }
    return (amount, Rounding.halfEven(Int128(amount) * rate, over: million))
  }

  private func shipping(of cartLines: [CartLine], subtotal: Int64, _ currency: Currency, _ region: Region?)
    -> (net: Int64, tax: Int64)
  {
    let shipped = cartLines.filter(\.isShipped)
    guard !shipped.isEmpty, let rule = shippingRule(region, currency) else { return (0, 0) }
    if let freeFrom = rule.freeFrom, subtotal >= freeFrom.amount { return (0, 0) }
    let grams = shipped.reduce(0) { $0 + $1.weightGrams * $1.quantity }
    let kilograms = Int64((grams + 999) / 1000)
    let byWeight = Int128(rule.perKilogram?.amount ?? 0) * Int128(kilograms)
    let amount = Int64(clamping: min(byWeight, Int128(Price.limit))) + rule.base.amount
    return Self.split(amount, taxRule(region, Self.shippingClass))
  }

  // MARK: rule selection

  func taxRule(_ region: Region?, _ taxClass: String) -> TaxRule? {
    Self.best(rules.tax) { rule in
      guard let specificity = Self.match(rule.region, region) else { return nil }
      if let wanted = rule.taxClass { return wanted.rawValue == taxClass ? specificity * 2 + 1 : nil }
      return specificity * 2
    }
  }

  private func shippingRule(_ region: Region?, _ currency: Currency) -> ShippingRule? {
    Self.best(rules.shipping) { $0.base.currency == currency ? Self.match($0.region, region) : nil }
  }

  /// How closely a rule's region matches; `nil` when it does not match.
  private static func match(_ rule: Region?, _ region: Region?) -> Int? {
    guard let rule else { return 0 }
    guard let region else { return nil }
    if rule == region { return rule.rawValue.count > 2 ? 2 : 1 }
    return rule.rawValue == region.country ? 1 : nil
  }

  /// The first of the rules that match best.
  private static func best<Rule>(_ rules: [Rule], _ fit: (Rule) -> Int?) -> Rule? {
    var best: (rule: Rule, fit: Int)?
    for rule in rules {
      if let fit = fit(rule), fit > best?.fit ?? -1 { best = (rule, fit) }
    }
    return best?.rule
  }
}
