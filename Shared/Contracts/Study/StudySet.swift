public enum StudySetSubject {}
public typealias StudySetID = ID<StudySetSubject>
public enum CardSubject {}
public typealias CardID = ID<CardSubject>

/// A study set as the caller sees it.
public struct StudySet: Codable, Sendable, Equatable, Versioned {
  public var id: StudySetID
  public var title: String
  public var description: String?
  public var tags: [String]
  /// The caller's role.
  public var role: SetRole
  public var ownerID: UserID?
  /// Absent while the owner's name is unavailable.
  public var owner: PublicName?
  public var cardCount: Int
  public var isPublished: Bool
  /// The set from which this one was copied.
  public var origin: SetOrigin?
  /// Texts that lost against an edit on another device, until they are dismissed by a synchronization.
  public var variants: [SyncVariant]?
  public var createdAt: Timestamp
  /// The last change of the set itself, not of its cards.
  public var changedAt: Timestamp
  /// When the caller studied or opened it last.
  public var lastOpenedAt: Timestamp?
  public var deletedAt: Timestamp?
  public var version: Int

  public init(
    id: StudySetID, title: String, description: String? = nil, tags: [String] = [], role: SetRole,
    ownerID: UserID?, owner: PublicName? = nil, cardCount: Int, isPublished: Bool = false, origin: SetOrigin? = nil,
    variants: [SyncVariant]? = nil, createdAt: Timestamp, changedAt: Timestamp, lastOpenedAt: Timestamp? = nil,
    deletedAt: Timestamp? = nil, version: Int
  ) {
    (self.id, self.title, self.description, self.tags) = (id, title, description, tags)
    (self.role, self.ownerID, self.owner, self.cardCount) = (role, ownerID, owner, cardCount)
    (self.isPublished, self.origin, self.variants) = (isPublished, origin, variants)
    (self.createdAt, self.changedAt, self.lastOpenedAt) = (createdAt, changedAt, lastOpenedAt)
    (self.deletedAt, self.version) = (deletedAt, version)
  }
}

/// The role of a member: read; edit the set and its cards; also share, publish and delete it.
public enum SetRole: String, WireEnum { case viewer, editor, owner }

/// The origin of a copied set.
public struct SetOrigin: Codable, Sendable, Equatable {
  public var set: StudySetID
  /// The title at that time.
  public var title: String
  /// The name of who owned it then; unset when the account was deleted.
  public var owner: String?
  public init(set: StudySetID, title: String, owner: String?) {
    (self.set, self.title, self.owner) = (set, title, owner)
  }
}

public enum SetOrder: String, WireEnum {
  /// Latest joined first.
  case newest
  /// Latest opened first.
  case opened
}

/// The texts of a set before they were edited.
public struct SetTexts: Codable, Sendable, Equatable {
  public var title: String?
  public var description: String?
  public init(title: String? = nil, description: String? = nil) {
    (self.title, self.description) = (title, description)
  }
}

/// The title of a study set.
public struct SetTitle: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.line(length: 1...200, example: "Capitals of Europe")
}

/// The description of a study set.
public struct SetDescription: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.studyText(length: 0...5000, example: "For the test in May")
}

/// A tag of a study set or a card.
public struct StudyTag: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.line(length: 1...60, example: "geography")
}

extension StringRule {
  /// The rule for text that may be empty and have lines and tabs. It is data: markup in it has no meaning.
  static func studyText(length: ClosedRange<Int>, example: String) -> StringRule {
    StringRule(
      length: length,
      pattern: #"^[^\u0000-\u0008\u000B-\u001F\u007F-\u009F]*$"#,
      example: example,
      normalize: { $0.replacing("\r\n", with: "\n").replacing("\r", with: "\n") },
      violation: { text in
        let isControl = text.unicodeScalars.contains {
          $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }
        return isControl ? "must not contain control characters" : nil
      }
    )
  }
}
