public import Contracts

/// A study set on the device.
public struct LocalSet: Sendable, Equatable, Identifiable {
  public let record: LocalRecord

  public var id: StudySetID { StudySetID(trusted: record.id) }
  public var title: String { record.text("title") }
  public var description: String { record.text("description") }
  public var tags: [String] { record["tags"]?.elements.compactMap(\.string) ?? [] }
}

extension StudyClient {
  /// The sets that the user sees.
  public func sets(after last: LocalSet? = nil, limit: Int = 1000) async throws -> [LocalSet] {
    try await records(in: .sets, after: last?.record, limit: limit).map { LocalSet(record: $0) }
  }

  /// A set, unless it is deleted.
  public func set(_ id: StudySetID) async throws -> LocalSet? {
    try await record(.sets, id.rawValue).flatMap { $0.isDeleted ? nil : LocalSet(record: $0) }
  }

  /// - Parameter title: 1 to 200 characters.
  public func addSet(title: String, description: String = "", tags: [String] = []) async throws -> StudySetID {
    let id = StudySetID(trusted: newID())
    let fields = JSONValue.object([
      ("title", .string(title)), ("description", description.isEmpty ? nil : .string(description)),
      ("tags", tags.isEmpty ? nil : .array(tags.map { .string($0) })),
    ])
    try await put(.sets, id.rawValue, SyncFields(fields.members))
    return id
  }

  /// Changes what is given.
  public func editSet(
    _ id: StudySetID, title: String? = nil, description: String? = nil, tags: [String]? = nil
  ) async throws {
    try await requireRecord(.sets, id.rawValue)
    let fields = JSONValue.object([
      ("title", title.map { .string($0) }), ("description", description.map { .string($0) }),
      ("tags", tags.map { .array($0.map { .string($0) }) }),
    ])
    try await put(.sets, id.rawValue, SyncFields(fields.members))
  }

  public func deleteSet(_ id: StudySetID) async throws { try await delete(.sets, id.rawValue) }

  public func restoreSet(_ id: StudySetID) async throws { try await restore(.sets, id.rawValue) }

  func requireRecord(_ collection: SyncCollection, _ id: String) async throws {
    if try await record(collection, id) == nil { throw StudyClientError.notFound }
  }
}
