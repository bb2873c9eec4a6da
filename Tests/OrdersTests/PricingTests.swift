import Contracts
import TestKit
import Testing

@testable import OrdersService

/// Totals are exact in every currency, to the minor unit.
struct PricingTests {
  private static func cartLine(
    _ amount: Int64,
    _ currency: Currency,
    quantity: Int = 1,
    taxClass: String = "standard",
    grams: Int = 0
  )
    -> CartLine
  {
    CartLine(
      item: .product(ProductReference(productID: .example)),
      title: "thing",
      quantity: quantity,
      unitPrice: Money(amount, currency),
      taxClass: taxClass,
      isShipped: grams > 0,
      weightGrams: grams
    )
  }

  private static func rule(_ rate: Int, _ region: String? = nil, _ taxClass: String? = nil, included: Bool = false)
    throws
    -> TaxRule
  {
    TaxRule(
      region: try region.map { try Region(validating: $0) },
      taxClass: try taxClass.map { try ShortText(validating: $0) },
      rate: TaxRate(checked: rate),
      isIncluded: included
    )
  }

  /// $24.99 at 10.75 % and $6.44 shipping is $34.12.
  @Test func goldenCase() throws {
    let price = try #require(Price(Money(644, .usd)))
    let rules = PricingRules(
      tax: [try Self.rule(107_500, nil, "standard")],
      shipping: [ShippingRule(base: price)],
      version: 1
    )
    let cart = Pricing(rules: rules).price([Self.cartLine(2499, .usd, grams: 300)], currency: .usd, region: nil)
    #expect(cart.totals.subtotal == 2499)
    #expect(cart.totals.tax == 269)
    #expect(cart.totals.shipping == 644)
    #expect(cart.totals.total == 3412)
  }

  @Test(
    arguments: [
      // amount, rate, included, net, tax
      (5000, 20_000, true, 4902, 98), (141 * 100, 200_000, false, 14_100, 2820), (1000, 0, false, 1000, 0),
      (5, 100_000, false, 5, 0), (15, 100_000, false, 15, 2), (25, 100_000, false, 25, 2), (35, 100_000, false, 35, 4),
      (0, 107_500, true, 0, 0),
    ] as [(Int64, Int, Bool, Int64, Int64)]
  )
  func taxIsRoundedHalfToEven(amount: Int64, rate: Int, included: Bool, net: Int64, tax: Int64) throws {
    let split = Pricing.split(amount, try Self.rule(rate, included: included))
    #expect(split.net == net)
    #expect(split.tax == tax)
  }

  /// 100,000 carts in three currencies: net + tax = gross on every line, and subtotal + tax + shipping = total.
  @Test func everythingAddsUp() throws {
    var generator = SeededGenerator()
    let currencies = [Currency.usd, Currency(trusted: "JPY"), Currency(trusted: "KWD")]
    for round in 0..<100_000 {
      let currency = currencies[round % 3]
      let included = Bool.random(using: &generator)
      let base = try #require(Price(Money(.random(in: 0...2000, using: &generator), currency)))
      let rules = PricingRules(
        tax: [try Self.rule(.random(in: 0...300_000, using: &generator), included: included)],
        shipping: [ShippingRule(base: base, perKilogram: base)],
        version: 1
      )
      let cartLines = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
        Self.cartLine(
          .random(in: 0...1_000_000, using: &generator),
          currency,
          quantity: .random(in: 1...20, using: &generator),
          grams: .random(in: 0...900, using: &generator)
        )
      }
      let cart = Pricing(rules: rules).price(cartLines, currency: currency, region: nil)
      for (line, cartLine) in zip(cart.lines, cartLines) {
        try #require(line.net.amount + line.tax.amount == line.gross.amount, "\(generator)")
        let asked = cartLine.unitPrice.amount * Int64(cartLine.quantity)
        try #require(included ? line.gross.amount == asked : line.net.amount == asked, "\(generator)")
      }
      let totals = cart.totals
      let tax = cart.lines.reduce(0) { $0 + $1.tax.amount }
      try #require(totals.subtotal == cart.lines.reduce(0) { $0 + $1.net.amount }, "\(generator)")
      try #require(totals.subtotal + totals.tax + totals.shipping == totals.total, "\(generator)")
      try #require(totals.tax >= tax, "\(generator)")
    }
  }

  @Test func sharesAddUpToTheWhole() {
    var generator = SeededGenerator()
    for _ in 0..<20_000 {
      let whole = Int64.random(in: 0...1_000_000, using: &generator)
      let weights = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        Int64.random(in: 0...9999, using: &generator)
      }
      let shares = Rounding.allocate(whole, over: weights)
      #expect(shares.reduce(0, +) == whole, "\(generator)")
      #expect(shares.allSatisfy { $0 >= 0 }, "\(generator)")
    }
    #expect(Rounding.allocate(100, over: [1, 1, 1]) == [34, 33, 33])
    #expect(Rounding.allocate(5, over: [0, 0]) == [5, 0])
  }

  @Test func theClosestRuleApplies() throws {
    let rules = PricingRules(
      tax: [
        try Self.rule(1), try Self.rule(2, "US"), try Self.rule(3, "US-CA"), try Self.rule(4, "US-CA", "books"),
        try Self.rule(5, nil, "books"), try Self.rule(6, "US", "books"),
      ],
      version: 1
    )
    func rate(_ region: String?, _ taxClass: String) throws -> Int? {
      Pricing(rules: rules).taxRule(try region.map { try Region(validating: $0) }, taxClass)?.rate.value
    }
    #expect(try rate(nil, "standard") == 1)
    #expect(try rate("DE", "standard") == 1)
    #expect(try rate("US", "standard") == 2)
    #expect(try rate("us-ny", "standard") == 2)
    #expect(try rate("US-CA", "standard") == 3)
    #expect(try rate("US-CA", "books") == 4)
    #expect(try rate("DE", "books") == 5)
    #expect(try rate("US-NY", "books") == 6)
  }

  @Test func shippingIsByWeightAndFreeAbove() throws {
    func price(_ amount: Int64) throws -> Price { try #require(Price(Money(amount, .usd))) }
    let rule = ShippingRule(base: try price(500), perKilogram: try price(100), freeFrom: try price(10_000))
    let pricing = Pricing(rules: PricingRules(shipping: [rule], version: 1))
    func shipping(_ amount: Int64, grams: Int) -> Int64 {
      pricing.price([Self.cartLine(amount, .usd, grams: grams)], currency: .usd, region: nil).totals.shipping
    }
    #expect(shipping(1000, grams: 1) == 600)
    #expect(shipping(1000, grams: 1000) == 600)
    #expect(shipping(1000, grams: 1001) == 700)
    #expect(shipping(10_000, grams: 1) == 0)
    #expect(shipping(1000, grams: 0) == 0)
  }
}
