#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts between Anki's scheduling numbers and times. Days of review are counted from the day on which the
/// collection was created.
struct AnkiTiming {
  static let secondsPerDay: Int64 = 86_400

  /// When the collection was created, at the beginning of a day, in seconds since 1970.
  let created: Int64

  /// Numbers of cards, in the columns of Anki's table.
  struct Numbers {
    var type: Int64
    var queue: Int64
    var due: Int64
    var data: String
  }

  /// FSRS's memory of a card, in the column `data`.
  private struct Memory: Codable {
    // Anki's names.
    var s: Double?
    var d: Double?
  }

  func schedule(type: Int64, queue: Int64, due: Int64, data: [UInt8]) -> StudyFileSchedule {
    var schedule = StudyFileSchedule()
    schedule.phase =
      switch type {
      case 1: .learning
      case 2: .review
      case 3: .relearning
      default: .new
      }
    schedule.isSuspended = queue == -1
    if schedule.phase != .new {
      // Cards that are learned within a day have seconds, all others have days.
      let isTime = schedule.phase != .review && due > 1_000_000_000
      let seconds = isTime ? due : clamped(due, 10_000_000) * Self.secondsPerDay + clamped(created, 1 << 40)
      schedule.dueAt = clamped(seconds, 1 << 42) * 1000
    }
    if data.first == UInt8(ascii: "{"), let memory = try? JSONDecoder().decode(Memory.self, from: Data(data)) {
      schedule.stability = memory.s
      schedule.difficulty = memory.d
    }
    return schedule
  }

  private func clamped(_ value: Int64, _ bound: Int64) -> Int64 { min(max(value, -bound), bound) }

  /// - Parameter position: The position of a new card among the others.
  func numbers(_ schedule: StudyFileSchedule, position: Int64) throws(StudyFileError) -> Numbers {
    let due = clamped(schedule.dueAt ?? created * 1000, 1 << 52) / 1000
    var numbers = Numbers(type: 0, queue: 0, due: position, data: "")
    switch schedule.phase {
    case .new: break
    case .learning: (numbers.type, numbers.queue, numbers.due) = (1, 1, due)
    case .relearning: (numbers.type, numbers.queue, numbers.due) = (3, 1, due)
    case .review:
      let (days, rest) = (due - created).quotientAndRemainder(dividingBy: Self.secondsPerDay)
      (numbers.type, numbers.queue, numbers.due) = (2, 2, rest < 0 ? days - 1 : days)
    }
    if schedule.isSuspended { numbers.queue = -1 }
    if schedule.stability != nil || schedule.difficulty != nil {
      let memory = Memory(s: schedule.stability, d: schedule.difficulty)
      guard let data = try? JSONEncoder().encode(memory) else { throw .unrepresentable }
      numbers.data = String(decoding: data, as: UTF8.self)
    }
    return numbers
  }

  /// - Returns: `nil` for a row that is no review and no manual change.
  func review(time: Int64, rating: Int64, duration: Int64, type: Int64, interval: Int64, lastInterval: Int64)
    -> StudyFileReview?
  {
    guard (0...4).contains(rating), time > 0, time < 1 << 52 else { return nil }
    let kind: StudyFileReview.Kind
    switch type {
    case 0: kind = .learning
    case 1: kind = .review
    case 2: kind = .relearning
    case 3: kind = .early
    default: kind = .manual
    }
    guard (kind == .manual) == (rating == 0) else { return nil }
    return StudyFileReview(
      time: time, rating: Int(rating), duration: Int(clamped(duration, 1 << 40)), kind: kind,
      interval: seconds(interval), lastInterval: seconds(lastInterval))
  }

  /// Intervals are days, or negative seconds.
  private func seconds(_ interval: Int64) -> Int64 {
    interval < 0 ? -clamped(interval, 1 << 40) : clamped(interval, 10_000_000) * Self.secondsPerDay
  }

  static func interval(_ seconds: Int64) -> Int64 {
    seconds > 0 && seconds % secondsPerDay == 0 ? seconds / secondsPerDay : -seconds
  }

  static func type(_ kind: StudyFileReview.Kind) -> Int64 {
    switch kind {
    case .learning: 0
    case .review: 1
    case .relearning: 2
    case .early: 3
    case .manual: 4
    }
  }
}
