import Contracts
import Foundation
import ServiceKit
import SyncMerge
import TestKit

/// A device of a user that keeps only its clock and its cursor.
struct ChaosDevice {
  private let person: ChaosPerson
  private let id: StudyDeviceID
  private var clock: HybridClock
  private var cursor: String?

  init(of person: ChaosPerson) {
    let number = UInt64.random(in: 1..<1 << 47)
    let digits = String(number, radix: 16)
    id = StudyDeviceID(trusted: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    clock = HybridClock(device: number)
    self.person = person
  }

  /// Creates a record, and sends it until that is answered.
  /// - Returns: Its id.
  mutating func push(_ collection: SyncCollection, _ set: StudySetID?, _ fields: SyncFields) async throws -> String {
    let (now, record) = (TimeSource.system.now(), IDGenerator().text())
    let operation = SyncOperation(
      id: IDGenerator().text(), collection: collection, record: record, set: set,
      version: clock.next(at: UInt64(now.microseconds / 1000)), fields: fields)
    let response = try await person.insist(
      StudyAPI.Sync(device: id, deviceTime: now, cursor: cursor, operations: [.valid(operation)]))
    cursor = response.cursor
    guard let result = response.results.first, result.status != .rejected else {
      throw TestKitError("\(person.name): a record was rejected: \(response.results)")
    }
    if let version = result.version { clock.reset(to: version) }
    return record
  }

  /// The text of every record that the server has.
  static func texts(of person: ChaosPerson) async throws -> [String: String] {
    var device = ChaosDevice(of: person)
    var texts: [String: String] = [:]
    while true {
      let response = try await person.insist(
        StudyAPI.Sync(device: device.id, deviceTime: TimeSource.system.now(), cursor: device.cursor))
      device.cursor = response.cursor
      for record in response.changes where record.isDeleted != true {
        texts[record.id] = (record.fields?["front"] ?? record.fields?["title"])?.string
      }
      if !response.hasMore { return texts }
    }
  }
}
