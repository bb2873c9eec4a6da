/// How well a card was recalled, by the learner's own judgement.
public enum ReviewRating: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Forgotten.
  case again = 1
  /// Recalled with serious difficulty.
  case hard = 2
  /// Recalled after a hesitation.
  case good = 3
  /// Recalled at once.
  case easy = 4

  /// Whether the card was recalled: everything but ``again``.
  public var isRecall: Bool { self != .again }

  public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
