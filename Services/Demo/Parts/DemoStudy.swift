import Contracts
import SyncMerge

/// LetuStudy: sets, and weeks of reviews, sent as a device sends them that was offline (docs/sync.md).
struct DemoStudy: DemoPart {
  let world: DemoWorld

  init(_ world: DemoWorld) { self.world = world }

  func fill() async throws {
    try await world.each("study sets", world.people(of: .letustudy)) { person in
      var random = world.random("study.\(person.index)")
      let decks = random.pick(person.isMainCharacter ? StudyTexts.decks.count : 2, of: Array(StudyTexts.decks.indices))
      for number in decks { try await study(number, person) }
    }
    try await report()
  }

  /// Support has something to look at.
  private func report() async throws {
    let students = world.people(of: .letustudy)
    guard let author = students.first, let reader = students.dropFirst().first else { return }
    try await world.once("study.report") { _ in
      var ids = ids(of: "study.\(author.index).0")
      let report = StudyAPI.ReportLibrarySet(id: StudySetID(trusted: ids.uuid()), reason: .wrong)
      try await reader.account.attempt(report)
    }
  }

  /// The ids of a set and of what belongs to it. They follow from the step, so sending all of it again has no further
  /// effect.
  private func ids(of step: String) -> DemoRandom { DemoRandom(world.seed, "\(world.journal["world"] ?? "").\(step)") }

  private func study(_ number: Int, _ person: DemoPerson) async throws {
    let deck = StudyTexts.decks[number]
    let step = "study.\(person.index).\(number)"
    var ids = ids(of: step)
    let set = StudySetID(trusted: ids.uuid())
    try await world.once(step) { _ in
      let cards = deck.cards.map { _ in ids.uuid() }
      var device = DemoDevice(id: ids.uuid(), number: ids.next(), begun: world.begun)
      device.put(
        .sets, set.rawValue, nil,
        [
          "title": .string(deck.title), "description": .string(deck.description),
          "tags": .array(deck.tags.map { .string($0) }),
        ])
      for (position, (id, card)) in zip(cards, deck.cards).enumerated() {
        // Two digits in front of each position keep the order of the texts that of the numbers.
        device.put(
          .cards, id, set,
          [
            "front": .string(card.front), "back": .string(card.back), "position": .string("a\(10 + position)"),
          ])
      }
      var random = world.random("\(step).reviews")
      reviews(of: set, cards, &device, &ids, &random)
      try await device.send(as: person.account)
    }
    guard person.isMainCharacter || person.index % 3 == 0 else { return }
    try await world.once("\(step).published") { _ in
      try await person.account.attempt(StudyAPI.PublishSet(id: set))
    }
  }

  /// Five weeks in which the intervals grow, with forgotten cards now and then. Some cards have been neglected since, so
  /// that they are due, and the last ones are new.
  private func reviews(
    of set: StudySetID, _ cards: [String], _ device: inout DemoDevice, _ ids: inout DemoRandom,
    _ random: inout DemoRandom
  ) {
    for (index, card) in cards.dropLast(2).enumerated() {
      var (day, interval) = (35.0 - Double(index % 7) * 2, 1.0)
      let neglected = random.pick([0.0, 0, 9, 14, 20])
      while day > neglected {
        let isKnown = random.chance(0.86)
        let hours = Double(random.number(in: 7...20)) + random.fraction()
        let at = world.begun.advanced(bySeconds: -86_400 * day - 3600 * (24 - hours) / 3)
        let rating: Int64 = isKnown ? (random.chance(0.25) ? 4 : 3) : (random.chance(0.4) ? 2 : 1)
        device.put(
          .reviews, ids.uuid(), nil,
          [
            "at": .string(at.description), "milliseconds": .integer(Int64(random.number(in: 1800...14_000))),
            "utcOffsetMinutes": .integer(0), "set": .string(set.rawValue), "card": .string(card),
            "rating": .integer(rating),
          ])
        interval = isKnown ? interval * (1.4 + random.fraction() * 0.8) : 1
        day -= max(1, interval)
      }
    }
  }
}

/// A device that has not been online for a while.
struct DemoDevice {
  private let id: StudyDeviceID
  private let begun: Timestamp
  private var clock: HybridClock
  private var operations: [SyncOperation] = []

  init(id: String, number: UInt64, begun: Timestamp) {
    self.id = StudyDeviceID(trusted: id)
    self.begun = begun
    clock = HybridClock(device: max(1, number))
  }

  mutating func put(_ collection: SyncCollection, _ record: String, _ set: StudySetID?, _ fields: SyncFields) {
    operations.append(
      SyncOperation(
        // The id of an entry of a log is its operation's; other records change in later operations.
        id: collection.isLog ? record : operationID(of: record), collection: collection, record: record, set: set,
        version: clock.next(at: UInt64(begun.microseconds / 1000)), fields: fields))
  }

  /// Another UUID, which follows from the record's.
  private func operationID(of record: String) -> String {
    var random = DemoRandom(0, "operation.\(record)")
    return random.uuid()
  }

  /// Sends what was done, as many operations at a time as a request may have.
  func send(as account: DemoAccount) async throws {
    var cursor: String?
    for start in stride(from: 0, to: operations.count, by: SyncOperationList.maxCount) {
      let part = operations[start..<min(operations.count, start + SyncOperationList.maxCount)]
      let response = try await account.send(
        StudyAPI.Sync(
          device: id, deviceTime: TimeSource.system.now(), cursor: cursor, operations: part.map { .valid($0) }))
      cursor = response.cursor
      if let rejected = response.results.first(where: { $0.status == .rejected }) {
        throw DemoError("A record of a study set was rejected: \(rejected.code ?? ""), \(rejected.message ?? "")")
      }
    }
  }
}
