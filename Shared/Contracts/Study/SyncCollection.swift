public import SyncMerge

/// The collections that are synchronized. Devices ignore collections that they do not know.
public enum SyncCollection: String, WireEnum {
  /// Study sets, each with an id that is also the id of its space: what its members share.
  case sets
  /// Flashcards of a set.
  case cards
  /// One record, with the id of the user: how the user studies.
  case studySettings
  case workouts
  /// Answers to cards: a log, from which schedules and statistics are derived.
  case reviews
  /// Time spent studying: a log.
  case studySessions
  /// Quizzes taken on a device: a log.
  case quizResults

  /// The scope that a token needs besides `sync` in order to read or write the collection: a fitness app does not see
  /// what is studied.
  public var scope: Scope { self == .workouts ? .workouts : .study }

  /// Whether its records are written once and never changed.
  public var isLog: Bool {
    switch self {
    case .sets, .cards, .studySettings, .workouts: false
    case .reviews, .studySessions, .quizResults: true
    }
  }

  /// Whether its records belong to a set and so to all its members; the others belong to one user.
  public var isShared: Bool { self == .sets || self == .cards }

  /// The fields whose concurrent edits are merged as text.
  public var mergedTexts: [MergedText] {
    switch self {
    case .sets: [MergedText("title", maxLength: 200), MergedText("description", maxLength: 5000)]
    case .cards: [MergedText("front", maxLength: 20_000), MergedText("back", maxLength: 20_000)]
    case .workouts: [MergedText("note", maxLength: 5000)]
    case .studySettings, .reviews, .studySessions, .quizResults: []
    }
  }
}
