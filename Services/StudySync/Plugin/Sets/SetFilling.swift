import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle
import SyncMerge

/// Fills a new set in several transactions, so that other writes are not held up. The set has no members until the last
/// one: it appears with all its cards or not at all.
struct SetFilling: Sendable {
  /// A card that is added unless there is one with its id.
  struct Card: Sendable {
    var id: RecordID
    var fields: [JSONValue.Member]
  }

  /// Cards in one transaction.
  static let batch = 500
  /// A filling that does nothing for so many seconds has ended without a trace.
  static let idleSeconds = 120.0

  let core: StudyCore
  let user: UserID
  let set: StudySetID
  /// The attempt; of several attempts to fill the set, only the latest changes it.
  private let attempt: String

  init(core: StudyCore, user: UserID, set: StudySetID) {
    (self.core, self.user, self.set, attempt) = (core, user, set, core.ids.text())
  }

  /// Makes the space, or continues with one that an interrupted attempt has left.
  ///
  /// - Throws: ``Problem`` 409 while another attempt is in progress.
  func begin() async throws {
    // The remains of a failed attempt.
    try await SpaceRemoval(core).complete(set.space)
    try await core.database.write { tx in
      try core.write(as: user, in: tx) { try $0.requireRoomForSet() }
      if let other = try UnfinishedSetStore.find(set, in: tx) {
        guard tx.now.seconds(since: other.touchedAt) > Self.idleSeconds else {
          throw Problem(.requestInProgress, retryAfter: 5)
        }
      } else {
        guard try SpaceStore.insert(set.space, in: tx) else { throw Problem(.requestInProgress, retryAfter: 5) }
      }
      try UnfinishedSetStore.begin(set, of: user, attempt: attempt, in: tx)
    }
  }

  /// - Parameter media: Those of the cards that may be used.
  func add(_ cards: [Card], with media: Set<MediaID> = []) async throws {
    for start in stride(from: 0, to: cards.count, by: Self.batch) {
      let part = cards[start..<min(start + Self.batch, cards.count)]
      try await core.database.write { tx in
        guard try UnfinishedSetStore.touch(set, attempt: attempt, in: tx) else {
          throw Problem(.requestInProgress, retryAfter: 5)
        }
        try core.write(as: user, in: tx) { writer in
          writer.ownedMedia = media
          try writer.requireRoom(for: part.count, in: set)
          try writer.add(part, to: set)
        }
      }
    }
  }

  /// Makes the set the user's, in the caller's transaction.
  func finish(_ fields: [JSONValue.Member], in tx: Transaction) throws {
    try core.write(as: user, in: tx) { writer in
      try writer.requireRoomForSet()
      guard try UnfinishedSetStore.delete(set, attempt: attempt, in: tx) else {
        throw Problem(.requestInProgress, retryAfter: 5)
      }
      try writer.put(fields, on: RecordID(trusted: set.rawValue), .sets, in: set.space)
      try SpaceStore.grant(.owner, to: user, in: set.space, source: "owner", tx)
    }
  }

  /// Removes what the attempt, which has failed, has written. What cannot be removed now is removed later.
  func cancel() async {
    do { try await Self.remove(set, attempt: attempt, core) } catch {
      core.logger.warning("an unfinished set remains", metadata: ["set": "\(set)", "error": "\(error)"])
    }
  }

  /// Removes a set that an attempt was filling, unless another attempt has gone on with it.
  static func remove(_ set: StudySetID, attempt: String, _ core: StudyCore) async throws {
    try await core.database.write { tx in try end(set, attempt: attempt, in: tx) }
    try await SpaceRemoval(core).complete(set.space)
  }

  /// Ends an attempt; the set is removed in steps, during which no attempt can begin.
  static func end(_ set: StudySetID, attempt: String, in tx: Transaction) throws {
    if try UnfinishedSetStore.delete(set, attempt: attempt, in: tx) { try SpaceStore.markRemoved(set.space, in: tx) }
  }
}

extension SpaceWriter {
  /// Adds the cards that a set does not have.
  ///
  /// - Returns: How many there were.
  @discardableResult
  func add(_ cards: some Collection<SetFilling.Card>, to set: StudySetID) throws -> Int {
    try load(cards.map(\.id))
    var count = 0
    for card in cards where record(card.id) == nil {
      let fields = card.fields.map { MergeChange<JSONValue>.Field(name: $0.name, value: $0.value) }
      _ = try apply(
        MergeChange(.put, version: nextVersion(of: card.id), fields: fields), to: card.id, .cards, in: set.space)
      count += 1
    }
    return count
  }
}

/// Removes sets whose filling was interrupted.
struct UnfinishedSets: Feature {
  private let core: StudyCore
  private static let maxSets = 20

  init(_ core: StudyCore) { self.core = core }

  var workers: [any Service] {
    [
      PeriodicTask("study.unfinished-sets", per: .platform, every: .seconds(600), logger: core.logger) { [core] in
        let before = core.time.now().advanced(bySeconds: -3600)
        let sets = try await core.database.read { db in
          try UnfinishedSetStore.list(untouchedSince: before, limit: Self.maxSets, in: db)
        }
        for set in sets { try await SetFilling.remove(set.set, attempt: set.attempt, core) }
      }
    ]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    for unfinished in try UnfinishedSetStore.list(of: user, in: tx) {
      try SetFilling.end(unfinished.set, attempt: unfinished.attempt, in: tx)
    }
  }
}
