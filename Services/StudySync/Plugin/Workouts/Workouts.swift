import Contracts
import Persistence
import PlatformRules
import ServiceKit
import StudyModel
import SyncMerge

/// Workouts: records of their user, which devices synchronize and these endpoints read and write.
struct Workouts: Feature {
  let core: StudyCore
  let totals: WorkoutTotalsReader

  init(_ core: StudyCore) {
    self.core = core
    totals = WorkoutTotalsReader(core: core)
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListWorkoutTypes.self) { _, _ in .current }
    routes.on(StudyAPI.ListWorkouts.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(StudyAPI.StartWorkout.self, start)
    routes.on(StudyAPI.GetWorkout.self) { request, call in try await get(request.id, of: call.user.id) }
    routes.on(StudyAPI.UpdateWorkout.self) { request, call in try await update(request, by: call.user.id) }
    routes.on(StudyAPI.DeleteWorkout.self) { request, call in try await delete(request.id, by: call.user.id) }
    routes.on(StudyAPI.PauseWorkout.self) { request, call in try await pause(request.id, by: call.user.id) }
    routes.on(StudyAPI.ResumeWorkout.self) { request, call in try await resume(request.id, by: call.user.id) }
    routes.on(StudyAPI.FinishWorkout.self) { request, call in try await finish(request, by: call.user.id) }
    routes.on(StudyAPI.GetWorkoutTotals.self) { request, call in try await totals.read(request, of: call.user.id) }
    routes.on(StudyAPI.ShareWorkout.self) { request, call in try await share(request, by: call.user.id) }
    routes.on(StudyAPI.UnshareWorkout.self) { request, call in try await unshare(request.id, by: call.user.id) }
  }

  // MARK: reading

  private func list(_ request: StudyAPI.ListWorkouts, of user: UserID) async throws -> Page<Workout> {
    let page = try request.page(by: WorkoutStore.Cursor.self)
    let (found, records, reactions) = try await core.database.read { db in
      let found = try page.fetch(
        { try WorkoutStore.list(of: user, before: $0, limit: $1, in: db) },
        key: { WorkoutStore.Cursor($0.startedAt, $0.id) })
      let shared = found.rows.filter { $0.sharedAt != nil }.map(\.id)
      return (
        found, try RecordStore.find(found.rows.map(\.id.record), in: db),
        try WorkoutStore.reactions.list(of: shared, for: user, in: db)
      )
    }
    let contents = try core.workouts(in: records)
    let now = core.time.now()
    return found.with(
      found.rows.compactMap { row in
        contents[row.id].map { content in
          let sharing = row.sharing(content, reactions[row.id] ?? [])
          return content.workout(row.id, at: now, sharing: sharing)
        }
      })
  }

  private func get(_ id: WorkoutID, of user: UserID) async throws -> Workout {
    try await core.database.read { db in try view(id, of: user, in: db) }
  }

  private func view(_ id: WorkoutID, of user: UserID, in db: any Connection) throws -> Workout {
    let (row, content) = try find(id, of: user, in: db)
    let reactions = try WorkoutStore.reactions.list(of: row.sharedAt == nil ? [] : [id], for: user, in: db)
    return content.workout(id, at: core.time.now(), sharing: row.sharing(content, reactions[id] ?? []))
  }

  private func find(_ id: WorkoutID, of user: UserID, in db: any Connection) throws
    -> (row: WorkoutStore.Stored, content: WorkoutContent)
  {
    guard let row = try WorkoutStore.find(id, in: db), row.user == user,
      let record = try RecordStore.find(id.record, in: db), let content = WorkoutContent(try core.records.open(record))
    else { throw Problem(.workoutNotFound) }
    return (row, content)
  }

  // MARK: writing

  private func start(_ request: StudyAPI.StartWorkout, _ call: Call) async throws -> Workout {
    let (user, now, id) = (try call.user.id, core.time.now(), core.ids.make(WorkoutID.self))
    let intensity = try Self.intensity(request.intensity, of: request.type.rawValue)
    let weight = try await weight(request.weight, of: user)
    let fields = Self.fields([
      ("type", .string(request.type.rawValue)), ("intensity", .string(intensity.rawValue)),
      ("startedAt", JSONValue(request.startedAt ?? now)), ("finishedAt", request.finishedAt.map { JSONValue($0) }),
      ("pauses", try request.pauses.map { try Self.pauses($0) }),
      ("weight", weight.map { .integer(Int64($0.value)) }), ("note", request.note.map { .string($0.rawValue) }),
    ])
    return try await core.database.write { tx in
      // The stored response is not encrypted, so it is the id only.
      let started = try tx.idempotent(call.idempotencyKey) {
        if request.finishedAt == nil, try WorkoutStore.isOneRunning(of: user, in: tx) {
          throw Problem(.workoutRunning)
        }
        try core.write(as: user, in: tx) { writer in
          try Self.put(fields, to: id, in: writer.ownSpace(), writer)
        }
        let (_, content) = try find(id, of: user, in: tx)
        try content.requireOrder(at: now)
        return id
      }
      return try view(started, of: user, in: tx)
    }
  }

  private func update(_ request: StudyAPI.UpdateWorkout, by user: UserID) async throws -> Workout {
    let pauses = try request.pauses.map { try Self.pauses($0) }
    if case .set = request.weight { try await core.consents.require(.healthData, of: user) }
    return try await change(request.id, by: user, checksOrder: true) { content in
      if request.type != nil || request.intensity != nil {
        let type = request.type?.rawValue ?? content.type
        // Another version of the table may know a type that is not here.
        if request.type != nil || WorkoutType.find(type) != nil {
          _ = try Self.intensity(request.intensity ?? content.intensity, of: type)
        }
      }
      let weight: JSONValue? =
        switch request.weight {
        case .keep: nil
        case .remove: .null
        case .set(let weight): .integer(Int64(weight.value))
        }
      let note: JSONValue? =
        switch request.note {
        case .keep: nil
        case .remove: ""
        case .set(let note): .string(note.rawValue)
        }
      return Self.fields([
        ("type", request.type.map { .string($0.rawValue) }),
        ("intensity", request.intensity.map { .string($0.rawValue) }),
        ("startedAt", request.startedAt.map { JSONValue($0) }),
        ("finishedAt", request.finishedAt.map { JSONValue($0) }), ("pauses", pauses), ("weight", weight),
        ("note", note),
      ])
    }
  }

  private func pause(_ id: WorkoutID, by user: UserID) async throws -> Workout {
    let now = core.time.now()
    return try await change(id, by: user) { content in
      guard content.finishedAt == nil else { throw Problem(.workoutFinished) }
      if content.isPaused { return [] }
      guard content.pauses.count < WorkoutContent.maxPauses else { throw Problem(.tooManyPauses) }
      return Self.fields([("pauses", JSONValue(content.pauses + [WorkoutInterruption(from: now)]))])
    }
  }

  private func resume(_ id: WorkoutID, by user: UserID) async throws -> Workout {
    let now = core.time.now()
    return try await change(id, by: user) { content in
      guard content.finishedAt == nil else { throw Problem(.workoutFinished) }
      return content.isPaused ? Self.fields([("pauses", JSONValue(content.pauses(endedAt: now)))]) : []
    }
  }

  private func finish(_ request: StudyAPI.FinishWorkout, by user: UserID) async throws -> Workout {
    let end = request.finishedAt ?? core.time.now()
    let weight = try await weight(request.weight, of: user)
    return try await change(request.id, by: user, checksOrder: true) { content in
      if content.finishedAt != nil { return [] }
      return Self.fields([
        ("finishedAt", JSONValue(end)),
        ("pauses", content.isPaused ? JSONValue(content.pauses(endedAt: end)) : nil),
        (
          "weight",
          (request.weight ?? content.weight ?? weight).flatMap {
            $0 == content.weight ? nil : .integer(Int64($0.value))
          }
        ),
        ("note", request.note.map { .string($0.rawValue) }),
      ])
    }
  }

  private func share(_ request: StudyAPI.ShareWorkout, by user: UserID) async throws -> Workout {
    try await change(request.id, by: user) { content in
      guard content.finishedAt != nil else { throw Problem(.workoutUnfinished) }
      let includes = request.includesKilocalories ?? false
      if content.isShared, content.includesKilocalories == includes { return [] }
      return Self.fields([("isShared", true), ("includesKilocalories", .bool(includes))])
    }
  }

  private func unshare(_ id: WorkoutID, by user: UserID) async throws {
    _ = try await change(id, by: user) { content in content.isShared ? Self.fields([("isShared", false)]) : [] }
  }

  private func delete(_ id: WorkoutID, by user: UserID) async throws {
    try await core.database.write { tx in
      _ = try find(id, of: user, in: tx)
      try core.write(as: user, in: tx) { writer in
        try writer.load([id.record])
        let seen = writer.record(id.record)?.content.version ?? .zero
        let change = MergeChange<JSONValue>(.delete, version: writer.nextVersion(of: id.record), seen: seen)
        _ = try writer.apply(change, to: id.record, .workouts, in: writer.ownSpace())
      }
    }
  }

  /// Changes fields of a workout, and returns it.
  private func change(
    _ id: WorkoutID, by user: UserID, checksOrder: Bool = false,
    _ fields: @escaping @Sendable (WorkoutContent) throws -> [MergeChange<JSONValue>.Field]
  ) async throws -> Workout {
    try await core.database.write { tx in
      let changed = try fields(find(id, of: user, in: tx).content)
      if !changed.isEmpty {
        try core.write(as: user, in: tx) { writer in
          try writer.load([id.record])
          try Self.put(changed, to: id, in: writer.ownSpace(), writer)
        }
        if checksOrder { try find(id, of: user, in: tx).content.requireOrder(at: tx.now) }
      }
      return try view(id, of: user, in: tx)
    }
  }

  static func put(
    _ fields: [MergeChange<JSONValue>.Field], to id: WorkoutID, in space: SpaceID, _ writer: SpaceWriter
  ) throws {
    let seen = writer.record(id.record)?.content.version ?? .zero
    let change = MergeChange(.put, version: writer.nextVersion(of: id.record), seen: seen, fields: fields)
    try Problem.of { _ = try writer.apply(change, to: id.record, .workouts, in: space) }
  }

  // MARK: values

  private static func fields(_ pairs: [(String, JSONValue?)]) -> [MergeChange<JSONValue>.Field] {
    pairs.compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }

  /// - Throws: ``Problem`` unless the table has the type with the intensity.
  private static func intensity(_ wanted: IntensityLevel?, of type: String) throws -> IntensityLevel {
    let levels = WorkoutType.find(type)?.intensities.compactMap { IntensityLevel(rawValue: $0.rawValue) } ?? []
    guard let level = wanted ?? levels.first, levels.contains(level) else { throw Problem(.workoutTypeUnknown) }
    return level
  }

  private static func pauses(_ pauses: [WorkoutInterruption]) throws -> JSONValue {
    guard pauses.count <= WorkoutContent.maxPauses else { throw Problem(.tooManyPauses) }
    return JSONValue(pauses)
  }

  /// The weight that is sent or, without one, that of the latest workouts. It is kept with the user's consent only.
  ///
  /// - Throws: ``Problem`` `consent-required` for a weight that is sent.
  private func weight(_ sent: BodyWeight?, of user: UserID) async throws -> BodyWeight? {
    if let sent {
      try await core.consents.require(.healthData, of: user)
      return sent
    }
    guard let latest = try await latestWeight(of: user) else { return nil }
    return try await core.consents.isGiven(.healthData, by: user) ? latest : nil
  }

  /// The weight of the latest workouts that have one.
  private func latestWeight(of user: UserID) async throws -> BodyWeight? {
    let (rows, records) = try await core.database.read { db in
      let rows = try WorkoutStore.list(of: user, before: nil, limit: 20, in: db)
      return (rows, try RecordStore.find(rows.map(\.id.record), in: db))
    }
    let contents = try core.workouts(in: records)
    return rows.lazy.compactMap { contents[$0.id]?.weight }.first
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    var workouts: [JSONValue] = []
    var cursor: WorkoutStore.Cursor?
    while true {
      let rows = try WorkoutStore.list(of: user, before: cursor, limit: 500, in: db)
      let contents = try core.workouts(in: RecordStore.find(rows.map(\.id.record), in: db))
      for row in rows {
        guard let content = contents[row.id] else { continue }
        workouts.append(try JSONValue(content.workout(row.id, at: core.time.now(), sharing: row.sharing(content, []))))
      }
      guard rows.count == 500, let last = rows.last else { break }
      cursor = WorkoutStore.Cursor(last.startedAt, last.id)
    }
    let reactions = try WorkoutStore.reactions.list(by: user, in: db).map { reaction -> JSONValue in
      ["workout": .string(reaction.object.rawValue), "emoji": .string(reaction.emoji)]
    }
    return [("workouts", .array(workouts)), ("workoutReactions", .array(reactions))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try WorkoutStore.reactions.delete(of: user, in: tx)
    try WorkoutStore.delete(of: user, in: tx)
  }
}
