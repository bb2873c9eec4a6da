import Contracts
import TestKit

/// The requirements of the services on each other: the calls they make and the events they deliver.
enum ServicePacts {
  static let user = UserID(trusted: "01890a5d-ac96-774b-bcce-b302099a8001")
  static let seller = UserID(trusted: "01890a5d-ac96-774b-bcce-b302099a8002")
  static let product = ProductID(trusted: "01890a5d-ac96-774b-bcce-b302099a8003")
  static let listing = ListingID(trusted: "01890a5d-ac96-774b-bcce-b302099a8004")
  /// A picture of the user, ready and scanned.
  static let picture = MediaID(trusted: "01890a5d-ac96-774b-bcce-b302099a8007")
  /// A recording of the seller, licensed to the user.
  static let recording = MediaID(trusted: "01890a5d-ac96-774b-bcce-b302099a8009")

  static func all() throws -> [Pact] {
    try [
      ordersCatalog(), ordersAuth(), catalogAuth(), authOrders(), authCatalog(), catalogOrders(), authGateway(),
      matchingAuth(), authMatching(), matchingCatalog(), matchingOrders(), ordersMatching(), catalogMatching(),
      catalogGateway(),
      matchingGateway(), studyAuth(), authStudy(), studyGateway(), studyMatching(), matchingStudy(),
      gatewayMedia(), mediaGateway(), authMedia(), mediaAuth(), catalogMedia(), mediaCatalog(), ordersMedia(),
      mediaOrders(), matchingMedia(), mediaMatching(), studyMedia(), mediaStudy(),
      fronted(
        "catalog", "/v1/products/{id}", ["listing"], follows: Topic("listing", listing.rawValue), isAllowed: true),
      fronted("orders", "/v1/cart", ["auction"], follows: Topic("auction", listing.rawValue), isAllowed: false),
      fronted(
        "matching", "/v1/connections", ["conversation", "user"], follows: Topic("user", user.rawValue, "videos"),
        isAllowed: true
      ),
      fronted(
        "study-sync", "/v1/study-sets", ["course", "sync"], follows: Topic("sync", user.rawValue), isAllowed: true),
    ]
  }

  /// The routes of the gateway, and whom it lets follow topics.
  static func fronted(
    _ service: String, _ path: String, _ kinds: [String], follows topic: Topic, isAllowed: Bool
  ) throws -> Pact {
    var pact = Pact(consumer: "gateway", provider: service)
    let operation = Pact.Expectation.object([
      ("method", .like("GET")), ("path", .like(.string(path))), ("needsToken", .like(true)),
      ("idempotency", .like("safe")), ("bodyBytes", .integer(65_536)), ("seconds", .like(10)),
    ])
    try pact.expect(
      "what it serves",
      given: state("gateway"),
      DescriptionAPI.Describe(),
      isInternal: true,
      answers: 200,
      .object([
        ("version", .matching("[0-9a-f]{64}", example: String(repeating: "0", count: 64))),
        (
          "description",
          .object([
            ("name", .exactly(.string(service))), ("operations", .each(operation)), ("events", .each(.like("app"))),
            ("topics", .each(.matching(kinds.joined(separator: "|"), example: kinds[0]))),
            ("openAPI", .object([("openapi", .like("3.1.0")), ("paths", .object([]))])),
          ])
        ),
      ])
    )
    try pact.expect(
      "who may follow a topic",
      given: state("gateway"),
      TopicsAPI.Authorize(user: user, roles: [.user], topics: [topic]),
      isInternal: true,
      answers: 200,
      isAllowed ? .object([("topics", .each(.exactly(.string(topic.rawValue))))]) : .object([])
    )
    return pact
  }

  /// The state of each provider: a user, a product and a listing exist, and the calling service is known.
  static func state(_ consumer: String) -> Pact.State {
    Pact.State("a shop with one product, one listing and one user exists", [("service", .string(consumer))])
  }

  static let problem = "application/problem+json"
  private static let time = Pact.Expectation.matching(
    #"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"#,
    example: "2026-01-01T00:00:00.000Z"
  )

  private static func ordersCatalog() throws -> Pact {
    var pact = Pact(consumer: "orders", provider: "catalog")
    let state = state("orders")
    let reference = ProductReference(productID: product)
    let money = Pact.Expectation.object([("amount", .integer(2499)), ("currency", .exactly("USD"))])
    try pact.expect(
      "what is for sale",
      given: state,
      CatalogAPI.GetSaleItems(products: [reference], listings: [listing]),
      isInternal: true,
      answers: 200,
      .object([
        (
          "products",
          .each(
            .object([
              ("product", .object([("productID", .exactly(.string(product.rawValue)))])), ("title", .like("Earrings")),
              ("price", money), ("taxClass", .like("standard")), ("isShipped", .like(true)),
              ("weightGrams", .integer(20)), ("available", .integer(5)),
            ])
          )
        ),
        (
          "listings",
          .each(
            .object([
              ("id", .exactly(.string(listing.rawValue))), ("ownerID", .exactly(.string(seller.rawValue))),
              ("title", .like("Night drive")), ("acceptsOffers", .like(true)), ("audio", .like("x")),
              (
                "licenses",
                .each(
                  .object([
                    ("kind", .like("exclusive")), ("price", money), ("files", .each(.like("mp3"))),
                    ("territory", .like("worldwide")), ("ownerShare", .integer(5000)),
                  ])
                )
              ),
            ])
          )
        ),
      ])
    )
    func reserve(_ id: String, _ quantity: Int) throws -> CatalogAPI.ReserveStock {
      CatalogAPI.ReserveStock(
        id: ReservationID(trusted: id),
        lines: [StockLine(product: reference, quantity: Quantity(checked: quantity))],
        expiresAt: Timestamp(microseconds: 4_102_444_800_000_000))
    }
    let id = "01890a5d-ac96-774b-bcce-b302099a8011"
    func reservation(_ status: String) -> Pact.Expectation {
      .object([("id", .exactly(.string(id))), ("status", .exactly(.string(status))), ("expiresAt", time)])
    }
    try pact.expect(
      "stock is kept",
      given: state,
      reserve(id, 1),
      isInternal: true,
      answers: 200,
      reservation("held")
    )
    try pact.expect(
      "kept stock is sold",
      given: state,
      CatalogAPI.CommitReservation(id: ReservationID(trusted: id)),
      isInternal: true,
      answers: 200,
      reservation("committed")
    )
    try pact.expect(
      "there is not enough",
      given: state,
      reserve("01890a5d-ac96-774b-bcce-b302099a8012", 900),
      isInternal: true,
      answers: 409,
      as: problem,
      .object([("code", .exactly("insufficient-stock")), ("status", .exactly(409))])
    )
    try pact.expect(
      "a part of the stock is given back",
      given: state,
      CatalogAPI.ReduceReservation(
        id: ReservationID(trusted: "01890a5d-ac96-774b-bcce-b302099a8014"),
        lines: [StockLine(product: reference, quantity: Quantity(checked: 1))]),
      isInternal: true,
      answers: 204,
      nil
    )
    try pact.expect(
      "stock is given back",
      given: state,
      CatalogAPI.ReleaseReservation(id: ReservationID(trusted: "01890a5d-ac96-774b-bcce-b302099a8013")),
      isInternal: true,
      answers: 204,
      nil
    )
    try pact.delivers(
      ListingSaleChanged(listingID: listing, isPurchased: false, isOpenForBids: true, version: 1), given: state)
    return pact
  }

  static func names(_ pact: inout Pact) throws {
    try pact.expect(
      "the names of users",
      given: state(pact.consumer),
      AuthAPI.GetPublicNames(users: [user]),
      isInternal: true,
      answers: 200,
      .object([
        ("items", .each(.object([("id", .exactly(.string(user.rawValue))), ("displayName", .like("Ada"))])))
      ])
    )
  }

  static func consent(_ pact: inout Pact, to purpose: ConsentPurpose) throws {
    try pact.expect(
      "whether a user consents",
      given: state(pact.consumer),
      AuthAPI.CheckConsent(user: user, purpose: purpose),
      isInternal: true,
      answers: 200,
      .object([("isGiven", .like(false))])
    )
  }

  private static func ordersAuth() throws -> Pact {
    var pact = Pact(consumer: "orders", provider: "auth")
    try names(&pact)
    let push = GroupPushRequested(
      to: [user], about: Topic("auction", listing.rawValue), title: "An auction ends soon", text: "It ends soon.")
    try pact.delivers(push, given: state("orders"))
    return pact
  }

  private static func catalogAuth() throws -> Pact {
    var pact = Pact(consumer: "catalog", provider: "auth")
    try names(&pact)
    try consent(&pact, to: .newsletter)
    try pact.expect(
      "the verified address of a user",
      given: state("catalog"),
      AuthAPI.GetVerifiedAddresses(users: [user]),
      isInternal: true,
      answers: 200,
      .object([
        (
          "items",
          .each(.object([("userID", .exactly(.string(user.rawValue))), ("email", .like("ada@example.com"))]))
        )
      ])
    )
    try pact.expect(
      "a user gets the newsletter",
      given: state("catalog"),
      AuthAPI.SetSubscribed(user: user, isSubscribed: true),
      isInternal: true,
      answers: 204,
      nil
    )
    return pact
  }

  private static func authOrders() throws -> Pact {
    var pact = Pact(consumer: "auth", provider: "orders")
    try pact.delivers(GuestSignedIn(guestID: user, userID: seller), given: state("auth"))
    try pact.delivers(UserDeleted(userID: seller), given: state("auth"))
    try pact.asksForPersonalData(given: state("auth"))
    return pact
  }

  private static func authCatalog() throws -> Pact {
    var pact = Pact(consumer: "auth", provider: "catalog")
    try pact.delivers(UserAddressVerified(userID: seller), given: state("auth"))
    try pact.delivers(UserDeleted(userID: user), given: state("auth"))
    try pact.asksForPersonalData(given: state("auth"))
    return pact
  }

  private static func catalogOrders() throws -> Pact {
    var pact = Pact(consumer: "catalog", provider: "orders")
    try pact.delivers(ListingRemoved(listingID: listing), given: state("catalog"))
    return pact
  }

  // MARK: matching

  private static func matchingAuth() throws -> Pact {
    var pact = Pact(consumer: "matching", provider: "auth")
    try names(&pact)
    let state = state("matching")
    try pact.delivers(ConnectionChanged(user, seller, isConnected: true), given: state)
    try pact.delivers(BlockChanged(blocker: user, blocked: seller, isBlocked: true), given: state)
    try pact.delivers(PushRequested(to: user, title: "Roomi", text: "You have a new match."), given: state)
    return pact
  }

  private static func authMatching() throws -> Pact {
    var pact = Pact(consumer: "auth", provider: "matching")
    try pact.delivers(UserChanged(userID: user, version: 2), given: state("auth"))
    try pact.delivers(UserDeleted(userID: seller), given: state("auth"))
    try pact.asksForPersonalData(given: state("auth"))
    return pact
  }

  private static func matchingCatalog() throws -> Pact {
    var pact = Pact(consumer: "matching", provider: "catalog")
    try pact.delivers(BlockChanged(blocker: user, blocked: seller, isBlocked: true), given: state("matching"))
    return pact
  }

  /// The users who may see the exercises that a user shows, and the event for those who follow it.
  private static func catalogMatching() throws -> Pact {
    var pact = Pact(consumer: "catalog", provider: "matching")
    try relations(&pact)
    let shared = UserTopicEvent(user, .progress, "exercise.shared", ["id": .string(listing.rawValue)])
    try pact.delivers(shared, given: state("catalog"))
    return pact
  }

  private static func matchingOrders() throws -> Pact {
    var pact = Pact(consumer: "matching", provider: "orders")
    try pact.delivers(BlockChanged(blocker: user, blocked: seller, isBlocked: true), given: state("matching"))
    return pact
  }

  /// The conversation that an offer is tied to, and the card that shows it.
  private static func ordersMatching() throws -> Pact {
    var pact = Pact(consumer: "orders", provider: "matching")
    let state = state("orders")
    let conversation = ConversationID(trusted: "01890a5d-ac96-774b-bcce-b302099a8005")
    try pact.expect(
      "there is no such conversation", given: state,
      MatchingAPI.CheckConversation(id: conversation, users: [user, seller]), isInternal: true, answers: 404,
      as: problem, .object([("code", .exactly("conversation-not-found")), ("status", .exactly(404))])
    )
    let offer = OfferChanged(
      offerID: OfferID(trusted: "01890a5d-ac96-774b-bcce-b302099a8006"), conversationID: conversation,
      listingID: listing, buyerID: user, sellerID: seller, status: .pending, amount: Money(15_000, .usd),
      madeBy: .buyer, expiresAt: Timestamp(microseconds: 4_102_444_800_000_000)
    )
    try pact.delivers(offer, given: state)
    return pact
  }

  private static func matchingGateway() throws -> Pact {
    var pact = Pact(consumer: "matching", provider: "gateway")
    let state = state("matching")
    let topic = Topic("conversation", "01890a5d-ac96-774b-bcce-b302099a8005")
    try pact.delivers(TopicEvent(topic, "message.sent", ["sequence": 1], alsoTo: [user]), given: state)
    try pact.delivers(TopicAccessEnded([topic], for: user), given: state)
    try pact.expect(
      "somebody is typing", given: state, SignalsAPI.Send(topic, "conversation.typing", [:], from: user),
      isInternal: true,
      answers: 204, nil
    )
    return pact
  }

  /// Events of topics, which the gateway handles alike for every service.
  private static func catalogGateway() throws -> Pact {
    var pact = Pact(consumer: "catalog", provider: "gateway")
    let topic = Topic("listing", listing.rawValue)
    try pact.delivers(TopicEvent(topic, "listing.changed", ["version": 2], alsoTo: [user]), given: state("catalog"))
    try pact.delivers(TopicAccessEnded([topic], for: nil), given: state("catalog"))
    return pact
  }

  /// Realtime events and the export, which the gateway handles alike for every service.
  private static func authGateway() throws -> Pact {
    var pact = Pact(consumer: "auth", provider: "gateway")
    try pact.delivers(RealtimeEvent(to: user, "account.changed", ["version": 2]), given: state("auth"))
    try pact.delivers(UserDeleted(userID: seller), given: state("auth"))
    try pact.asksForPersonalData(given: state("auth"))
    return pact
  }
}

extension Pact {
  /// The consumer delivers an event, and the provider accepts it.
  mutating func delivers(_ event: some Event, given state: State) throws {
    let data = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(event))
    let type = Swift.type(of: event).type
    let envelope = CloudEvent(
      id: "01890a5d-ac96-774b-bcce-b302099a80\(20 + count)",
      source: "/\(consumer)",
      type: type,
      subject: event.subject,
      time: Timestamp(microseconds: 1_767_225_600_000_000),
      traceparent: nil,
      data: data
    )
    try expect(
      "the event \(type)",
      given: state,
      EventsAPI.Deliver(body: envelope),
      isInternal: true,
      answers: 204,
      nil
    )
  }

  mutating func asksForPersonalData(given state: State) throws {
    try expect(
      "everything about a user",
      given: state,
      PersonalDataAPI.Export(user: ServicePacts.user),
      isInternal: true,
      answers: 200,
      .object([])
    )
  }
}
