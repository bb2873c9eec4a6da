import Contracts
import StudyModel

/// Totals of entries by local day, function and set: a sum that does not depend on the order of the entries.
struct StudyTotals: Sendable, Equatable {
  struct Key: Sendable, Hashable, Comparable {
    var day: Int64
    var function: StudyFunction
    var set: StudySetID?

    static func < (left: Self, right: Self) -> Bool {
      (left.day, left.function.rawValue, left.set?.rawValue ?? "")
        < (right.day, right.function.rawValue, right.set?.rawValue ?? "")
    }
  }

  struct Total: Sendable, Equatable {
    var milliseconds: Int64 = 0
    var entries = 0
    /// Reviews, or answers in quizzes.
    var answers = 0
    var correct = 0
    var reviews = ReviewTally()
    /// When the first entry happened.
    var firstAt = Timestamp(microseconds: .max)
    /// When the last entry happened, and its local time minus UTC in minutes; the greater one of several at that time.
    var lastAt = Timestamp(microseconds: .min)
    var lastOffset = Int(Int16.min)

    mutating func add(_ other: Self) {
      milliseconds += other.milliseconds
      entries += other.entries
      answers += other.answers
      correct += other.correct
      reviews += other.reviews
      include(other)
    }

    /// Extends the times to those of another total.
    mutating func include(_ other: Self) {
      firstAt = min(firstAt, other.firstAt)
      if (other.lastAt, other.lastOffset) > (lastAt, lastOffset) {
        (lastAt, lastOffset) = (other.lastAt, other.lastOffset)
      }
    }
  }

  struct SetTotal: Sendable, Equatable {
    var lastAt: Timestamp
    var milliseconds: Int64 = 0
    var entries = 0
    var reviews = 0
  }

  private(set) var days: [Key: Total] = [:]
  private(set) var sets: [StudySetID: SetTotal] = [:]

  mutating func add(_ entry: LogEntry) {
    guard let function = entry.function else { return }
    let score = Self.score(of: entry)
    var total = days[Key(day: entry.day, function: function, set: entry.set)] ?? Total()
    total.milliseconds += entry.milliseconds
    total.entries += 1
    total.answers += score.answers
    total.correct += score.correct
    total.include(Total(firstAt: entry.at, lastAt: entry.at, lastOffset: entry.utcOffsetMinutes))
    days[Key(day: entry.day, function: function, set: entry.set)] = total

    guard let set = entry.set else { return }
    var activity = sets[set] ?? SetTotal(lastAt: entry.at)
    activity.lastAt = max(activity.lastAt, entry.at)
    activity.milliseconds += entry.milliseconds
    activity.entries += 1
    activity.reviews += entry.collection == .reviews ? 1 : 0
    sets[set] = activity
  }

  mutating func add(_ tallies: ReviewTallies) {
    for (key, tally) in tallies.tallies {
      days[Key(day: key.day, function: .review, set: key.set), default: Total()].reviews += tally
    }
  }

  /// Sets in the totals.
  var named: Set<StudySetID> { Set(sets.keys).union(days.keys.compactMap(\.set)) }

  /// Counts what was studied of other sets under no set. Entries may name any id, and a place for each of them would
  /// let the totals grow without bound.
  func keeping(_ known: Set<StudySetID>) -> StudyTotals {
    var kept = StudyTotals()
    for (key, total) in days {
      let set = key.set.flatMap { known.contains($0) ? $0 : nil }
      kept.days[Key(day: key.day, function: key.function, set: set), default: Total()].add(total)
    }
    kept.sets = sets.filter { known.contains($0.key) }
    return kept
  }

  private static let maxAnswers: Int64 = 10_000

  private static func score(of entry: LogEntry) -> AnswerScore {
    switch entry.collection {
    case .reviews: return AnswerScore(answers: 1, correct: (entry.rating ?? 0) > 1 ? 1 : 0)
    case .quizResults:
      func count(_ name: String) -> Int {
        let value = entry.details.first { $0.name == name }?.value.integer ?? 0
        return Int(min(max(value, 0), maxAnswers))
      }
      return AnswerScore(answers: count("correct") + count("incorrect"), correct: count("correct"))
    default: return AnswerScore()
    }
  }
}
