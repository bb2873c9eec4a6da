import Contracts
import Persistence
import ServiceKit
import SyncMerge

/// Export and erasure of a user's records, sets, log and devices. A set that others may edit passes to the
/// editor who joined it first. The user's other sets disappear for everyone at once, and ``SpaceRemoval`` deletes their
/// contents.
struct SyncPrivacy: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let spaces = try SpaceStore.history(of: user, in: db)
    let records = try spaces.filter { $0.role == .owner }.flatMap { try exportRecords(of: $0.space, in: db) }
    let shared = spaces.filter { $0.role != .owner }.map { space -> JSONValue in
      [
        "set": .string(space.space.rawValue), "role": .string(space.role.rawValue),
        "since": .string(space.since.description),
      ]
    }
    let devices = try DeviceStore.list(of: user, in: db).map { device -> JSONValue in
      ["device": .string(device.device.rawValue), "seenAt": .string(device.seenAt.description)]
    }
    // The log of a deleted account may not be deleted yet.
    let log = try spaces.contains { $0.space == user.space } ? exportLog(of: user, in: db) : []
    return [
      ("studyRecords", .array(records)), ("studyLog", .array(log)),
      ("sharedStudySets", .array(shared)), ("studyDevices", .array(devices)),
    ]
  }

  private func exportRecords(of space: SpaceID, in db: any Connection) throws -> [JSONValue] {
    var (records, position): ([JSONValue], Int64) = ([], 0)
    while true {
      let page = try RecordStore.changes(of: space, after: position, limit: 500, in: db)
      for stored in page { records.append(try JSONValue(core.records.wire(stored, keepsDeleted: true))) }
      guard let last = page.last else { return records }
      position = last.sequence
    }
  }

  private func exportLog(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    var (entries, position): ([JSONValue], Int64) = ([], 0)
    while true {
      let page = try LogStore.changes(of: user, after: position, limit: 500, in: db)
      for stored in page { entries.append(try JSONValue(try core.log.open(stored).wire)) }
      guard let last = page.last else { return entries }
      position = last.sequence
    }
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    let owned = try SpaceStore.history(of: user, in: tx).filter { $0.role == .owner }.map(\.space)
    for space in owned {
      if space != user.space, let heir = try SpaceStore.successor(of: user, in: space, tx) {
        try SpaceStore.grant(.owner, to: heir, in: space, source: "owner", tx)
        for observer in core.observers {
          try observer.setPassed(StudySetID(trusted: space.rawValue), to: heir, in: tx)
        }
      } else {
        try SpaceStore.markRemoved(space, in: tx)
        guard space != user.space else { continue }
        for observer in core.observers { try observer.setRemoved(StudySetID(trusted: space.rawValue), in: tx) }
      }
    }
    // Its removal is that of the log and the operations too, which there can be without a space.
    _ = try SpaceStore.insert(user.space, in: tx)
    try SpaceStore.markRemoved(user.space, in: tx)
    try SpaceStore.deleteMemberships(of: user, in: tx)
    try DeviceStore.delete(of: user, in: tx)
    try CardMediaStore.forget(user, in: tx)
  }
}
