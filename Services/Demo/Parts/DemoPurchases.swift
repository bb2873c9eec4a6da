import Contracts

/// Purchases by the test provider, which moves no money; where it is not accepted, nothing is bought.
struct DemoPurchases: Sendable {
  let world: DemoWorld

  init(_ world: DemoWorld) { self.world = world }

  private static let payment = PaymentChoice(provider: .test, token: ProviderToken(checked: "test_success"))

  /// Puts an item into the cart and checks out.
  ///
  /// - Parameter key: That of the step; the request of each part has one of its own.
  func buy(
    _ item: OrdersAPI.AddCartItem, as person: DemoPerson, to address: PostalAddress? = nil, _ key: String
  ) async throws {
    guard world.journal["payments"] != "refused" else { return }
    guard try await person.account.attempt(item, key: "\(key)-item") != nil else { return }
    do {
      try await person.account.send(
        OrdersAPI.CheckOut(shippingAddress: address, region: Region(checked: "US-TX"), payment: Self.payment), key: key)
    } catch let problem as Problem where problem.is(.providerNotAvailable) {
      try world.journal.record("payments", "refused")
      world.progress.say("The platform does not accept test payments (payments.test), so nothing is bought.")
    } catch let problem as Problem where problem.status == 409 {
      // Such as a license that was sold, or a run that was killed after the purchase.
    }
  }

  /// Pays what an auction or an offer has made an order of.
  func pay(_ order: OrderID, as person: DemoPerson, _ key: String) async throws {
    try await person.account.attempt(
      OrdersAPI.PayOrder(id: order, body: Self.payment, region: Region(checked: "US-TX")), key: key)
  }

  func address(of person: DemoPerson) throws -> PostalAddress {
    var random = world.random("address.\(person.index)")
    return PostalAddress(
      name: try ShortText(validating: person.displayName),
      street: try ShortText(validating: "\(random.number(in: 1...980)) \(random.pick(ShopTexts.streets))"),
      city: ShortText(checked: "Austin"), postalCode: ShortText(checked: "787\(random.number(in: 10...59))"),
      region: Region(checked: "US-TX"))
  }
}
