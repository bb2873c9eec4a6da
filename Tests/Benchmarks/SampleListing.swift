import Contracts

/// A catalog item of about 300 bytes of JSON; the measured page has twenty of them.
struct SampleListing: Codable, Sendable, Equatable {
  struct Price: Codable, Sendable, Equatable {
    var amount: Int64
    var currency: String
  }

  var id: ID<SampleListing>
  var owner: UserID
  var kind: String
  var name: String
  var description: String
  var tags: [String]
  var price: Price
  var purchased: Bool
  var openForBids: Bool
  var likes: Int
  var comments: Int
  var archives: Int
  var createdAt: Timestamp
  var version: Int

  static func page(_ count: Int) -> Page<SampleListing> {
    let ids = IDGenerator()
    return Page(
      items: (0..<count).map { index in
        SampleListing(
          id: ids.make(),
          owner: ids.make(),
          kind: "beat",
          name: "Midnight \"Blue\" №\(index)",
          description: "Slow keys.",
          tags: ["lofi", "keys"],
          price: Price(amount: 2499, currency: "USD"),
          purchased: false,
          openForBids: index % 2 == 0,
          likes: index * 17,
          comments: index,
          archives: 3,
          createdAt: TimeSource.system.now(),
          version: 1
        )
      },
      nextCursor: "AQGh_AOBw3OsoDFKP2iK5o8AAAAAAAAAAQ"
    )
  }
}
