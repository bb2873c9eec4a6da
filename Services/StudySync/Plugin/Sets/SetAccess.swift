import Contracts
import Persistence
import SyncMerge

extension SpaceWriter {
  /// The set's own record, loaded.
  ///
  /// - Throws: ``Problem`` unless the user has the role in a set that is not deleted.
  func requireSet(_ set: StudySetID, _ needed: SpaceRole, isDeleted: Bool = false) throws -> RecordID {
    let record = RecordID(trusted: set.rawValue)
    try load([record])
    guard let role = try role(in: set.space), let stored = self.record(record)?.stored,
      (stored.deletedAt != nil) == isDeleted
    else { throw Problem(.studySetNotFound) }
    try Self.require(needed, role)
    return record
  }

  /// A card's record, loaded, of a set in which the user has the role.
  func requireCard(_ card: CardID, _ needed: SpaceRole, isDeleted: Bool = false) throws -> (
    id: RecordID, stored: StoredRecord, content: MergeRecord<JSONValue>
  ) {
    let id = RecordID(trusted: card.rawValue)
    try load([id])
    guard let (stored, content) = record(id), stored.collection == .cards,
      (stored.deletedAt != nil) == isDeleted, try role(in: stored.space) != nil
    else { throw Problem(.cardNotFound) }
    do {
      _ = try requireSet(StudySetID(trusted: stored.space.rawValue), needed)
    } catch let problem as Problem where problem.is(.studySetNotFound) {
      throw Problem(.cardNotFound)
    }
    return (id, stored, content)
  }

  private static func require(_ needed: SpaceRole, _ role: SpaceRole) throws {
    guard role < needed else { return }
    throw Problem(
      .forbidden, detail: needed == .owner ? "Only the owner can do this." : "The caller may only read this set.")
  }

  /// Changes the fields of a record that differ.
  ///
  /// - Parameter base: Texts before they were edited.
  func put(
    _ fields: [JSONValue.Member], base: [JSONValue.Member] = [], on id: RecordID, _ collection: SyncCollection,
    in space: SpaceID
  ) throws {
    let content = record(id)?.content
    let changed = fields.filter { content?[$0.name] != $0.value }
    guard content == nil || !changed.isEmpty else { return }
    let bases = SyncFields(base)
    try Problem.of {
      try RecordRules.check(SyncFields(fields), of: collection)
    }
    let change = MergeChange(
      .put, version: nextVersion(of: id), seen: content?.version ?? .zero,
      fields: changed.map { .init(name: $0.name, value: $0.value, base: bases[$0.name]?.string) })
    try Problem.of { _ = try apply(change, to: id, collection, in: space) }
  }

  /// Deletes or restores a record of which the user has seen everything.
  func change(_ action: MergeChange<JSONValue>.Action, _ id: RecordID, _ collection: SyncCollection, in space: SpaceID)
    throws
  {
    let seen = record(id)?.content.version ?? .zero
    try Problem.of {
      _ = try apply(MergeChange(action, version: nextVersion(of: id), seen: seen), to: id, collection, in: space)
    }
  }

  /// - Throws: ``Problem`` when the user has as many sets as a user can have.
  func requireRoomForSet() throws {
    guard try SetMembers.countOwned(by: user, in: tx) < SyncPush.maxSpaces else {
      throw Problem(.tooManyStudySets, detail: "A user can have \(SyncPush.maxSpaces) sets.")
    }
  }

  /// - Throws: ``Problem`` when the set cannot have so many more cards.
  func requireRoom(for cards: Int, in set: StudySetID) throws {
    let count = try SpaceStore.find(set.space, in: tx)?.checksums[.cards].count ?? 0
    guard count + cards <= RecordRules.maxRecords else {
      throw Problem(.tooManyCards, detail: "A set can have \(RecordRules.maxRecords) cards.")
    }
  }
}

extension Problem {
  /// Reports what the merge rejects as a problem of a request that has the fields in its body.
  static func of(_ body: () throws -> Void) throws {
    do { try body() } catch let rejection as SyncRejection {
      let field = rejection.field.map { $0.hasPrefix("fields.") ? String($0.dropFirst(7)) : $0 } ?? ""
      let location = field.isEmpty || field == "fields" ? "body" : "body.\(field)"
      throw Problem(.invalidRequest, errors: [.init(location: location, message: rejection.message)])
    }
  }
}
