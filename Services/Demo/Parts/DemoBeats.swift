import Contracts

/// Archived: beats and opens with covers and sound, likes, comments, connections, offers and sold licenses.
struct DemoBeats: DemoPart {
  let world: DemoWorld
  private let artists: [DemoPerson]

  init(_ world: DemoWorld) {
    self.world = world
    artists = world.people(of: .archived)
  }

  /// Every beat with its producer: the first artist has four, every second of the others one.
  var beats: [(beat: Beat, producer: DemoPerson)] {
    guard let first = artists.first else { return [] }
    let producers =
      [first, first, first, first] + artists.dropFirst().enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    return producers.enumerated().map { (Beat($0.offset, seed: world.seed), $0.element) }
  }

  func fill() async throws {
    try await world.each("recordings", beats) { beat, producer in
      guard world.journal[step(of: beat)] == nil else { return }
      _ = try await (recording(of: beat, by: producer), cover(of: beat, by: producer))
    }
    // One after the other, so that the newest are the same in every world of a seed.
    try await world.each("beats", beats, atOnce: 1) { beat, producer in try await list(beat, by: producer) }
    try await world.each("likes and comments", beats) { beat, producer in
      guard let id = world.journal[step(of: beat)] else { return }
      try await discuss(ListingID(trusted: id), beat, by: producer)
    }
    try await sell()
    try await world.each("connections", Array(artists.dropFirst())) { artist in try await connect(artist) }
    try await world.each("offers", Array(artists.dropFirst(2).prefix(3).enumerated())) { number, artist in
      try await world.once("offer.\(number)") { key in try await offer(number, by: artist, key) }
    }
  }

  private func step(of beat: Beat) -> String { "beat.\(beat.number)" }

  private func recording(of beat: Beat, by producer: DemoPerson) async throws -> MediaID {
    try await world.uploads.ready("\(step(of: beat)).audio", as: producer.account, title: beat.title) {
      BeatSynthesizer.play(beat, seed: world.seed)
    }
  }

  private func cover(of beat: Beat, by producer: DemoPerson) async throws -> MediaID {
    try await world.uploads.ready("\(step(of: beat)).cover", as: producer.account, title: "Cover of \(beat.title)") {
      try CoverArt.draw(beat, seed: world.seed)
    }
  }

  private func list(_ beat: Beat, by producer: DemoPerson) async throws {
    try await world.journal.once(step(of: beat)) { key in
      let audio = try await recording(of: beat, by: producer)
      let cover = try await cover(of: beat, by: producer)
      let listing = try await producer.account.send(
        CatalogAPI.CreateListing(
          kind: beat.isOpen ? .open : .beat, name: ShortText(validating: beat.title),
          description: LongText(validating: BeatTexts.description(of: beat)),
          tags: [Tag(validating: beat.style.rawValue), Tag(validating: "\(beat.tempo)-bpm")], cover: cover,
          audio: audio, licenses: licenses(of: beat), acceptsOffers: true),
        key: key)
      return listing.id.rawValue
    }
  }

  private func licenses(of beat: Beat) -> [LicenseOption] {
    var random = world.random("price.\(beat.number)")
    let base = Int64(random.number(in: 19...39)) * 100 + 99
    func option(_ kind: LicenseKind, _ times: Int64, _ files: [LicensedFile], streams: Int?) -> LicenseOption {
      LicenseOption(kind: kind, price: Price(checked: Money(base * times, .usd)), files: files, streams: streams)
    }
    return [
      option(.lease, 1, [.mp3], streams: 100_000), option(.unlimited, 4, [.mp3, .wav], streams: nil),
      option(.exclusive, 14, [.mp3, .wav], streams: nil),
    ]
  }

  /// Likes, comments and places in archives.
  private func discuss(_ listing: ListingID, _ beat: Beat, by producer: DemoPerson) async throws {
    var random = world.random("discussion.\(beat.number)")
    let others = artists.filter { $0.index != producer.index }
    for fan in random.pick(random.number(in: 3...18), of: others) {
      try await world.once("like.\(beat.number).\(fan.index)") { _ in
        try await fan.account.attempt(CatalogAPI.LikeListing(id: listing))
        if fan.index % 3 == 0 { try await fan.account.attempt(CatalogAPI.ArchiveListing(id: listing)) }
      }
    }
    for (number, text) in random.pick(random.number(in: 1...4), of: BeatTexts.comments).enumerated() {
      guard !others.isEmpty else { break }
      let author = random.pick(others)
      try await world.once("comment.\(beat.number).\(number)") { key in
        try await author.account.attempt(
          CatalogAPI.CommentOnListing(id: listing, text: CommentText(validating: text)), key: key)
      }
    }
  }

  /// Leases that others have bought of the first artist, and those that the first artist has bought.
  private func sell() async throws {
    guard let first = artists.first, artists.count > 1 else { return }
    var random = world.random("leases")
    // One after the other, because a buyer has one cart.
    for (beat, producer) in beats {
      let buyer = producer.index == first.index ? random.pick(Array(artists.dropFirst())) : first
      guard beat.number % 3 != 2, let id = world.journal["beat.\(beat.number)"] else { continue }
      try await world.once("lease.\(beat.number)") { key in
        try await DemoPurchases(world).buy(
          .init(listingID: ListingID(trusted: id), license: .lease), as: buyer, key)
      }
    }
  }

  private func connect(_ artist: DemoPerson) async throws {
    var random = world.random("connection.\(artist.index)")
    let earlier = artists.filter { $0.index < artist.index }
    for other in random.pick(3, of: earlier) + (artist.index < 60 ? artists.prefix(1) : []) {
      try await world.once("connection.\(artist.index).\(other.index)") { _ in
        let note = try ConnectionNote(validating: BeatTexts.notes[artist.index % BeatTexts.notes.count])
        try await artist.account.send(MatchingAPI.RequestConnection(userID: world.id(of: other), note: note))
        // Some requests wait for an answer.
        guard artist.index % 4 != 3 else { return }
        try await other.account.send(MatchingAPI.RequestConnection(userID: world.id(of: artist)))
      }
    }
  }

  /// Negotiates with the first artist inside a conversation.
  private func offer(_ number: Int, by artist: DemoPerson, _ key: String) async throws {
    guard let seller = artists.first, let id = world.journal["beat.\(number + 1)"] else { return }
    let listing = ListingID(trusted: id)
    let conversation = try await artist.account.send(
      MatchingAPI.StartConversation(userID: world.id(of: seller), listingID: listing))
    let price =
      try await artist.account.send(CatalogAPI.GetListing(id: listing))
      .licenses.first { $0.kind == .exclusive }?.price.amount ?? 0
    let offer = try await artist.account.attempt(
      OrdersAPI.MakeOffer(
        listingID: listing, license: .exclusive, amount: Price(checked: Money(price * 6 / 10, .usd)),
        message: Biography(validating: BeatTexts.offers[number % BeatTexts.offers.count]),
        conversationID: conversation.id),
      key: key)
    // The first offer is answered, the others wait for whoever signs in.
    guard number == 0, let offer else { return }
    try await seller.account.attempt(
      OrdersAPI.CounterOffer(id: offer.id, amount: Price(checked: Money(price * 8 / 10, .usd))), key: "\(key)-counter")
  }
}
