import Contracts
import TestKit
import Testing

@testable import OrdersService

/// State machines, offer bounds, card numbers and amounts.
struct DecisionTests {
  private func edges<State: StateMachine>(_ type: State.Type) -> Set<String> {
    Set(State.allCases.flatMap { from in from.successors.map { "\(from) > \($0)" } })
  }

  /// These are all valid transitions; every other pair is invalid.
  @Test func statesMoveByClosedTables() {
    #expect(
      edges(OrderStatus.self) == [
        "pendingPayment > placed", "pendingPayment > canceled", "pendingPayment > expired", "placed > canceled",
        "expired > pendingPayment",
      ]
    )
    #expect(
      edges(PaymentStatus.self) == [
        "unpaid > paid", "unpaid > failed", "failed > paid", "paid > partiallyRefunded", "paid > refunded",
        "partiallyRefunded > refunded", "partiallyRefunded > paid", "refunded > partiallyRefunded", "refunded > paid",
      ]
    )
    #expect(
      edges(FulfillmentStatus.self) == [
        "processing > processed", "processed > shipped", "shipped > delivered", "processing > canceled",
        "processed > canceled",
      ]
    )
  }

  @Test func counterOffersLieBetweenTheLastTwoPrices() throws {
    let opened = try OfferBounds(listPrice: 10_000).opening(4000)
    #expect(opened == OfferBounds(lower: 4000, upper: 10_000))
    let asked = try opened.countering(8000, by: .seller)
    #expect(asked == OfferBounds(lower: 4000, upper: 8000))
    #expect(try asked.countering(6000, by: .buyer) == OfferBounds(lower: 6000, upper: 8000))
    for amount in [4000, 8000, 3999, 8001, 0] as [Int64] {
      #expect(throws: Problem.self) { try asked.countering(amount, by: .buyer) }
    }
    #expect(throws: Problem.self) { try OfferBounds(listPrice: 10_000).opening(999) }
    #expect(throws: Problem.self) { try OfferBounds(listPrice: 10_000).opening(10_001) }
    #expect(throws: Problem.self) { try OfferBounds(listPrice: 0).opening(0) }
  }

  @Test(
    arguments: [
      ("4111111111111111", true), ("4111 1111 1111 1111", true), ("4111-1111-1111-1111", true),
      (#"{"note":"my card is 5500005555555559 thanks"}"#, true), ("3782 822463 10005", true),
      ("card4111111111111111x", true), (#"{"note":"\u0034111\u002d111111\u00311111\u0031"}"#, true), (#"\u00"#, false),
      ("4111111111111112", false), ("01890a5d-ac96-774b-bcce-b302099a8057", false), ("1767225600000000", false),
      (#"{"amount":2499,"currency":"USD"}"#, false), ("41111111-1111-7111-8111-111111111111", false), ("", false),
      ("0000000000000000", false), (#"{"phone":"+4915112345679"}"#, false),
    ]
  )
  func cardNumbersAreFound(text: String, isCard: Bool) {
    #expect(CardNumbers.appear(in: Array(text.utf8)) == isCard)
  }

  @Test("M23: no tracking number is taken for a card number, wherever it stands in the body")
  func trackingNumbersAreExempt() {
    var generator = SeededGenerator()
    for _ in 0..<1000 {
      let number = (0..<16).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      for body in [#"{"status":"shipped","tracking":"\#(number)"}"#, #"{"parcels":[{"tracking":"\#(number)"}]}"#] {
        #expect(!CardNumbers.appear(in: CardNumbers.withoutTracking(Array(body.utf8))), "\(generator)")
      }
    }
    for body in [#"{"tracking":"1","reason":"4111111111111111"}"#, #"{"tracking":"4111111111111111""#] {
      #expect(CardNumbers.appear(in: CardNumbers.withoutTracking(Array(body.utf8))))
    }
  }

  @Test(
    arguments: [
      (4990, "USD", 499), (500_000, "JPY", 500), (1234, "KWD", 1234), (4995, "USD", nil), (500_500, "JPY", nil),
      (0, "USD", 0),
    ] as [(Int64, String, Int64?)]
  )
  func milliunitsBecomeMinorUnits(milliunits: Int64, currency: String, amount: Int64?) {
    #expect(StoreKitTransaction.money(milliunits: milliunits, Currency(trusted: currency))?.amount == amount)
  }

  @Test func stripeCountsSomeCurrenciesDifferently() {
    #expect(StripeAmount.encode(Money(100, Currency(trusted: "ISK"))) == 10_000)
    #expect(StripeAmount.decode(10_000, Currency(trusted: "ISK")) == Money(100, Currency(trusted: "ISK")))
    #expect(StripeAmount.encode(Money(1230, Currency(trusted: "KWD"))) == 1230)
    #expect(StripeAmount.encode(Money(1234, Currency(trusted: "KWD"))) == nil)
    #expect(StripeAmount.encode(Money(500, Currency(trusted: "JPY"))) == 500)
  }

  @Test func moneyIsReadable() {
    #expect(Money(2499, .usd).description == "24.99 USD")
    #expect(Money(-5, .usd).description == "-0.05 USD")
    #expect(Money(500, Currency(trusted: "JPY")).description == "500 JPY")
    #expect(Money(1, Currency(trusted: "KWD")).description == "0.001 KWD")
  }
}
