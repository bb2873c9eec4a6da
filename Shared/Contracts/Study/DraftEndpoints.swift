extension StudyAPI {
  static let drafts: [any Endpoint.Type] = [DraftCards.self]

  /// Nothing is stored: the caller checks the drafts and adds cards (``CreateCard``). The text is that of a scanned
  /// media item of the caller, whose scan has ended (409 `media-not-ready` before), or is sent. For editors of the set.
  public struct DraftCards: Endpoint {
    public typealias Response = CardDraftList
    public static let operation = Operation.post(
      "/v1/study-sets/{id}/drafts", "Create card drafts from a text", idempotency: .safe,
      problems: [.studySetNotFound, .mediaNotFound, .scanNotFound, .mediaNotReady],
      limits: .init(bodyBytes: 512 << 10, seconds: 30)
    )
    public var id: StudySetID
    public var media: MediaID?
    /// The first page of the media item, from 1; the first one by default. At most 50 pages are read at once.
    public var firstPage: Int?
    public var text: DraftText?
    /// The one that fits best by default.
    public var rule: DraftPattern?
    public init(
      id: StudySetID, media: MediaID? = nil, firstPage: Int? = nil, text: DraftText? = nil, rule: DraftPattern? = nil
    ) {
      (self.id, self.media, self.firstPage, self.text, self.rule) = (id, media, firstPage, text, rule)
    }
  }
}

/// A text of which drafts are made.
public struct DraftText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...100_000)
}

/// How a text is divided into cards.
public enum DraftPattern: String, WireEnum {
  /// Odd lines are questions and even lines their answers; empty lines do not count.
  case parity
  /// A term and its definition in one line, separated by a tab, a dash or a colon.
  case terms
  /// Headings with what is below them.
  case headings
}

public struct CardDraftList: Codable, Sendable, Equatable {
  public var drafts: [CardDraftView]
  /// The rule of each part of the text that has drafts; one part for each page.
  public var rules: [DraftPattern]
  /// The page after the last one that was read, if there is one.
  public var nextPage: Int?
  public init(drafts: [CardDraftView], rules: [DraftPattern], nextPage: Int? = nil) {
    (self.drafts, self.rules, self.nextPage) = (drafts, rules, nextPage)
  }
}

/// A card that might be meant.
public struct CardDraftView: Codable, Sendable, Equatable {
  public var front: String
  public var back: String
  /// The page of the scanned media item.
  public var page: Int?
  /// The line of the page or the text, from 1.
  public var line: Int
  /// How sure the recognition of the page is, from 0 to 100.
  public var confidence: Int?
  public init(front: String, back: String, page: Int? = nil, line: Int, confidence: Int? = nil) {
    (self.front, self.back, self.page, self.line, self.confidence) = (front, back, page, line, confidence)
  }
}
