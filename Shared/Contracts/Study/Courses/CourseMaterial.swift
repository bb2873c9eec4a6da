public typealias MaterialID = ID<CourseMaterial>

/// Something that members of a course read, watch or learn.
public struct CourseMaterial: Codable, Sendable, Equatable, Versioned {
  public enum Kind: String, WireEnum {
    case text, link, media
    /// A study set, which the devices of the members receive.
    case set
  }

  public var id: MaterialID
  public var kind: Kind
  public var title: ShortText
  /// The content of a text, a note to the others.
  public var text: CourseText?
  public var url: WebLink?
  public var media: MediaID?
  public var set: StudySetID?
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: MaterialID, kind: Kind, title: ShortText, text: CourseText?, url: WebLink?, media: MediaID?,
    set: StudySetID?, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.kind, self.title, self.text) = (id, kind, title, text)
    (self.url, self.media, self.set) = (url, media, set)
    (self.createdAt, self.version) = (createdAt, version)
  }
}

/// A long text of a course: multiline, up to 10,000 characters.
public struct CourseText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...10_000)
}
