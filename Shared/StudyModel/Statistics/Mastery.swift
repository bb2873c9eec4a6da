/// How well cards are known.
public struct Mastery: Sendable, Hashable {
  /// The stage of a card.
  public enum Level: Int, Sendable, Hashable, CaseIterable {
    /// Never reviewed.
    case new
    /// In learning or relearning steps.
    case learning
    /// In intervals, stability below ``Mastery/matureStability``.
    case young
    /// In intervals, stability at least ``Mastery/matureStability``.
    case mature

    public init(_ memory: CardMemory) {
      guard memory.state != .new, let stability = memory.stability else {
        self = .new
        return
      }
      if memory.state != .review {
        self = .learning
      } else {
        self = stability >= Mastery.matureStability ? .mature : .young
      }
    }
  }

  /// Days of stability from which a card counts as mature.
  public static let matureStability = 21.0

  /// Cards by level.
  public private(set) var counts: [Level: Int] = [:]
  private var sum = 0.0

  public init() {}

  public init(_ memories: some Sequence<CardMemory>, scheduler: Scheduler, at time: Int64) {
    for memory in memories { add(memory, scheduler: scheduler, at: time) }
  }

  public var cards: Int { counts.values.reduce(0, +) }

  /// From 0 to 1: the mean of the cards' values, new ones included as 0; 0 without cards.
  public var value: Double { cards == 0 ? 0 : min(sum / Double(cards), 1) }

  public mutating func add(_ memory: CardMemory, scheduler: Scheduler, at time: Int64) {
    counts[Level(memory), default: 0] += 1
    sum += Self.value(of: memory, scheduler: scheduler, at: time)
  }

  /// From 0 to 1: the probability of recall now, times how lasting the memory is, `ln(1 + stability) / ln(1 + 21)` and
  /// at most 1. So a card learned a minute ago counts little, a mature one as much as it is still remembered; a new
  /// card 0.
  public static func value(of memory: CardMemory, scheduler: Scheduler, at time: Int64) -> Double {
    guard let state = memory.memoryState else { return 0 }
    let lasting = min(Elementary.log(1 + state.stability) / Elementary.log(1 + matureStability), 1)
    return scheduler.retrievability(memory, at: time) * lasting
  }
}
