import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

/// Four new users, who use all apps at the same time until the round is over.
struct ChaosRound: Sendable {
  let number: Int
  let shop: ChaosShop
  let record = ChaosRecord()
  /// Positive when the round is over.
  let over = Counter()

  var isOver: Bool { over.value > 0 }

  /// How often everyone does everything at least.
  private static let minTurns = 3

  func run() async throws {
    let people = try await concurrently(0..<4) { [self] person in
      let person = try await ChaosPerson.signUp("user\(number)x\(person)", shop.api)
      record.note { $0.people.append(person) }
      _ = try await person.insist(Self.profile())
      return person
    }
    let (auction, rights) = try await sell(people[0])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for person in people {
        group.addTask { try await likeAll(person, people) }
        group.addTask { try await stayIn(person) }
        group.addTask { try await study(person) }
      }
      for buyer in people.dropFirst() {
        group.addTask { try await buy(buyer, rights) }
        group.addTask { try await bid(buyer, on: auction) }
      }
      group.addTask { try await talk(people[0], people[1]) }
      group.addTask { try await talk(people[2], people[3]) }
      group.addTask { try await ChaosUploads(round: self).run(as: people[3]) }
      for try await _ in group {}
    }
  }

  /// Repeats a step until the round is over, at the pace of a busy user.
  func repeating(every seconds: ClosedRange<Double>, _ step: (_ turn: Int) async throws -> Void) async throws {
    var turn = 0
    while turn < Self.minTurns || !isOver {
      try await step(turn)
      turn += 1
      try await Task.sleep(for: .seconds(.random(in: seconds)))
    }
  }

  // MARK: Roomi

  private static func profile() throws -> MatchingAPI.PutRoommateProfile {
    let city = RoommatePlace.City(name: ShortText(checked: "Austin"), country: CountryCode(checked: "US"))
    return MatchingAPI.PutRoommateProfile(
      contact: RoommateContact(phone: PhoneNumber(checked: "+14155550100")),
      identity: RoommateIdentity(
        fullName: PersonName(checked: "Ada Lovelace"), birthday: try #require(CalendarDate("2000-06-15")),
        gender: .female),
      about: RoommateAbout(school: ShortText(checked: "Some College"), bio: Biography(checked: "Quiet.")),
      preferences: RoommatePreferences(place: RoommatePlace(city: city)),
      photos: RoommatePhotos(card: IDGenerator().make(), others: [IDGenerator().make()]), isComplete: true)
  }

  /// Sends every like twice, as apps do that got no answer.
  private func likeAll(_ person: ChaosPerson, _ people: [ChaosPerson]) async throws {
    for other in people.shuffled() where other.id != person.id {
      for _ in 0..<2 { _ = try await person.insist(MatchingAPI.SwipeRoommate(userID: other.id, decision: .like)) }
      record.note { $0.likes[person.id, default: []].insert(other.id) }
      try await Task.sleep(for: .seconds(.random(in: 0...1)))
    }
  }

  private func talk(_ one: ChaosPerson, _ other: ChaosPerson) async throws {
    let conversation = try await one.insist(MatchingAPI.StartConversation(userID: other.id)).id
    _ = try await other.insist(MatchingAPI.AcceptConversation(id: conversation))
    _ = try await concurrently([one, other]) { author in
      try await repeating(every: 0...0.4) { turn in
        let (id, text): (MessageID, String) = (IDGenerator().make(), "\(author.name) \(turn)")
        let sent = try await author.insist(
          MatchingAPI.SendMessage(id: conversation, messageID: id, text: MessageText(checked: text)))
        record.note {
          $0.messages[conversation, default: []].append(
            .init(id: id, sequence: sent.sequence, author: author.id, text: text))
        }
      }
    }
  }

  // MARK: the shop and the archive

  /// Auctions one recording, and sells the exclusive right to another.
  private func sell(_ seller: ChaosPerson) async throws -> (auction: AuctionID, rights: ListingID) {
    let exclusive = LicenseOption(kind: .exclusive, price: Price(checked: Money(20_000, .usd)), files: [.mp3, .wav])
    var listings: [ListingID] = []
    for name in ["Night drive", "Day drive"] {
      let listing = CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(checked: name), tags: [Tag(checked: "lo-fi")], audio: IDGenerator().make(),
        licenses: [exclusive])
      listings.append(try await seller.insist(listing, key: UUID().uuidString).id)
    }
    let auction = OrdersAPI.CreateAuction(
      listingID: listings[0], startPrice: Price(checked: Money(1000, .usd)),
      closesAt: TimeSource.system.now().advanced(bySeconds: 5 * 86_400))
    let id = try await seller.insist(auction, key: UUID().uuidString).id
    record.note { $0.auction = id }
    return (id, listings[1])
  }

  private func bid(_ bidder: ChaosPerson, on auction: AuctionID) async throws {
    try await repeating(every: 0.2...1) { _ in
      let minTurns = try await bidder.insist(OrdersAPI.GetAuction(id: auction)).minNextBid.amount
      let maximum = minTurns + .random(in: 0...500)
      let bid = OrdersAPI.PlaceBid(id: auction, maxAmount: Price(checked: Money(maximum, .usd)))
      let receipt = try await bidder.attempt(
        bid, key: UUID().uuidString, orIs: .belowMinimum, .maximumNotRaised)
      record.note { if receipt != nil { $0.bids[bidder.id] = maximum } }
    }
  }

  private func buy(_ buyer: ChaosPerson, _ rights: ListingID) async throws {
    try await repeating(every: 0.1...0.8) { turn in
      let item =
        turn == 1
        ? OrdersAPI.AddCartItem(listingID: rights, license: .exclusive)
        : OrdersAPI.AddCartItem(productID: shop.products[turn / 2 % 2].id)
      let cart = try await buyer.attempt(
        item, key: UUID().uuidString, orIs: .insufficientStock, .listingNotForSale, .licenseNotOffered)
      guard let cart else { return record.note { _ in } }
      let payment = PaymentChoice(provider: .test, token: ProviderToken(checked: "test_success"))
      // With its version: what one instance refuses may have reached another one, which does it late, and not with what
      // is in the cart by then.
      let order = try await buyer.attempt(
        OrdersAPI.CheckOut(ifMatch: EntityTag(version: cart.version), payment: payment), key: UUID().uuidString,
        orIs: .insufficientStock, .listingNotForSale, .cartChanged, .versionMismatch)
      record.note { if let order { $0.orders[order.id] = order } }
      guard order == nil else { return }
      for item in try await buyer.insist(OrdersAPI.GetCart()).items {
        _ = try await buyer.insist(OrdersAPI.RemoveCartItem(id: item.id))
      }
    }
  }

  // MARK: sessions

  private func stayIn(_ person: ChaosPerson) async throws {
    try await repeating(every: 1...3) { _ in
      let isLost = try await person.refresh()
      record.note { if isLost { $0.violations.append("\(person.name): the session was lost") } }
    }
  }

  // MARK: study

  private func study(_ person: ChaosPerson) async throws {
    var device = ChaosDevice(of: person)
    let set = try await device.push(.sets, nil, ["title": .string("Latin")])
    record.note { $0.records[person.id, default: [:]][set] = "Latin" }
    try await repeating(every: 0.2...1) { turn in
      let text = "\(person.name) card \(turn)"
      let card = try await device.push(.cards, StudySetID(set), ["front": .string(text), "back": "b"])
      record.note { $0.records[person.id, default: [:]][card] = text }
    }
  }
}
