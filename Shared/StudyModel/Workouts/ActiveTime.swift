/// A pause of a workout, in milliseconds since 1970.
public struct WorkoutPause: Sendable, Hashable {
  public let start: Int64
  /// Nil while the pause lasts.
  public let end: Int64?

  public init(start: Int64, end: Int64?) {
    self.start = start
    self.end = end
  }
}

/// The time of a workout without its pauses.
public enum ActiveTime {
  /// Milliseconds from start to end that lie in no pause.
  ///
  /// Pauses may overlap, come in any order, lie partly or wholly outside the workout, or be still open; one that ends
  /// before it starts is none. 0 if the end is not after the start.
  ///
  /// - Parameter end: When the workout finished, or now.
  public static func milliseconds(start: Int64, end: Int64, pauses: some Sequence<WorkoutPause>) -> Int64 {
    guard end > start else { return 0 }
    var paused: Int64 = 0
    var reached = start
    for pause in pauses.sorted(by: { $0.start < $1.start }) {
      let from = max(pause.start, reached)
      let to = min(pause.end ?? end, end)
      guard to > from else { continue }
      paused = Milliseconds.adding(Milliseconds.between(from, to), to: paused)
      reached = to
    }
    return max(Milliseconds.between(start, end) - paused, 0)
  }
}
