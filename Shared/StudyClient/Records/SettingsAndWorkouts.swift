public import Contracts

extension StudyClient {
  /// How the user studies; `nil` until something was set.
  public func settings() async throws -> LocalRecord? { try await record(.studySettings, user.rawValue) }

  /// - Parameters:
  ///   - desiredRetention: The probability of recall at which a card is due, 0.7 to 0.97.
  ///   - rolloverHour: The hour at which a study day begins, 0 to 23.
  ///   - others: Fields beyond these.
  public func changeSettings(
    desiredRetention: Double? = nil, rolloverHour: Int? = nil, others: SyncFields = SyncFields()
  ) async throws {
    let fields = JSONValue.object([
      ("desiredRetention", desiredRetention.map { .number($0) }),
      ("rolloverHour", rolloverHour.map { .integer(Int64($0)) }),
    ])
    try await put(.studySettings, user.rawValue, SyncFields(fields.members + others.members))
  }

  /// Workouts that are not deleted.
  public func workouts(after last: LocalRecord? = nil, limit: Int = 1000) async throws -> [LocalRecord] {
    try await records(in: .workouts, after: last, limit: limit)
  }

  /// Starts a workout with its fields, such as its type and start.
  public func addWorkout(_ fields: SyncFields) async throws -> String {
    let id = newID()
    try await put(.workouts, id, fields)
    return id
  }

  /// Changes a workout, such as when it is paused or finished.
  public func editWorkout(_ id: String, _ fields: SyncFields) async throws {
    try await requireRecord(.workouts, id)
    try await put(.workouts, id, fields)
  }

  public func deleteWorkout(_ id: String) async throws { try await delete(.workouts, id) }
}
