/// The preview of an object that everyone may see, for the page of a shared link (`/s/{kind}/{id}`). The service that
/// declares the kind in its manifest answers for it.
public struct LinkPreview: Codable, Sendable, Equatable {
  /// The type of the object in Open Graph's terms (ogp.me).
  public enum ObjectType: String, WireEnum {
    case website, article, product
    case song = "music.song"
    case video = "video.other"
  }

  public var type: ObjectType
  /// Plain text, like the description.
  public var title: String
  public var description: String?
  public var picture: MediaID?
  /// The price of what is sold.
  public var price: Money?
  /// Whether search engines may list the page: only what the platform itself publishes, not what users share.
  public var isIndexed: Bool

  public init(
    type: ObjectType, title: String, description: String? = nil, picture: MediaID? = nil, price: Money? = nil,
    isIndexed: Bool = false
  ) {
    (self.type, self.title, self.description, self.picture) = (type, title, description, picture)
    (self.price, self.isIndexed) = (price, isIndexed)
  }
}

public enum LinkSubject {}
public typealias LinkID = ID<LinkSubject>

/// The kind of an object in links, such as `listing`.
public struct LinkKind: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...40, pattern: "^[a-z]+$", example: "listing",
    violation: { text in
      text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ? nil : "must be lowercase letters"
    }
  )
}

/// The internal API by which the gateway asks the service of a kind what a link shows.
public enum LinkPreviewsAPI {
  /// Get the preview of an object. What does not exist and what is not for everyone are both not found.
  public struct Get: Endpoint {
    public typealias Response = LinkPreview
    public static let operation = Operation.get(
      "/internal/v1/previews/{kind}/{id}", "Get the link preview of an object", access: .services(GatewayAPI.self),
      limits: .init(seconds: 3)
    )
    public var kind: LinkKind
    public var id: LinkID
    public init(kind: LinkKind, id: LinkID) { (self.kind, self.id) = (kind, id) }
  }
}
