import Contracts
import Persistence
import SyncMerge

/// Adds up workouts by day and type.
struct WorkoutTotalsReader: Sendable {
  let core: StudyCore

  private static let maxDays = 366.0
  private static let batch = 500

  func read(_ request: StudyAPI.GetWorkoutTotals, of user: UserID) async throws -> WorkoutTotals {
    let (start, last) = (request.from.start, request.to.start)
    let days = last.seconds(since: start) / 86_400 + 1
    guard (1...Self.maxDays).contains(days) else {
      let message = "must be from 1 to \(Int(Self.maxDays)) days after from"
      throw Problem(.invalidRequest, errors: [.init(location: "query.to", message: message)])
    }
    var sums = WorkoutSums()
    var cursor: WorkoutStore.Cursor?
    let end = last.advanced(bySeconds: 86_400)
    while true {
      let after = cursor
      let (rows, records) = try await core.database.read { db in
        let rows = try WorkoutStore.finished(
          of: user, from: start, to: end, after: after, limit: Self.batch, in: db)
        return (rows, try RecordStore.find(rows.map(\.id.record), in: db))
      }
      for content in try core.workouts(in: records).values { sums.add(content) }
      guard rows.count == Self.batch, let row = rows.last else { return sums.totals }
      cursor = WorkoutStore.Cursor(row.startedAt, row.id)
    }
  }
}

/// Sums of finished workouts.
struct WorkoutSums {
  private var all = WorkoutTotals.Sum()
  private var days: [CalendarDate: WorkoutTotals.Sum] = [:]
  private var types: [String: WorkoutTotals.Sum] = [:]

  mutating func add(_ workout: WorkoutContent) {
    guard workout.finishedAt != nil else { return }
    Self.add(workout, to: &all)
    Self.add(workout, to: &days[CalendarDate(workout.startedAt), default: .init()])
    Self.add(workout, to: &types[workout.type, default: .init()])
  }

  /// In milliseconds and hundredths, in which they are stored, so that the order of the sum does not show.
  var totals: WorkoutTotals {
    WorkoutTotals(
      all: Self.rounded(all),
      days: days.sorted { $0.key < $1.key }.map { .init(day: $0.key, sum: Self.rounded($0.value)) },
      types: types.sorted { $0.key < $1.key }.map { .init(type: $0.key, sum: Self.rounded($0.value)) })
  }

  private static func add(_ workout: WorkoutContent, to sum: inout WorkoutTotals.Sum) {
    sum.count += 1
    sum.activeSeconds += workout.activeSeconds ?? 0
    sum.kilocalories += workout.energy?.kilocalories ?? 0
  }

  private static func rounded(_ sum: WorkoutTotals.Sum) -> WorkoutTotals.Sum {
    WorkoutTotals.Sum(
      count: sum.count, activeSeconds: (sum.activeSeconds * 1000).rounded() / 1000,
      kilocalories: (sum.kilocalories * 100).rounded() / 100)
  }
}

extension CalendarDate {
  /// Its first moment in UTC.
  var start: Timestamp { Timestamp(description + "T00:00:00Z") ?? Timestamp(microseconds: 0) }
}
