extension CatalogAPI {
  /// What the site says of itself.
  public struct GetSite: Endpoint {
    public typealias Response = Site
    public static let operation = Operation(.get, "/v1/site", "What the site says of itself", access: .anyone)
    public init() {}
  }

  /// Change what the site says of itself.
  public struct PutSite: Endpoint {
    public typealias Response = Site
    public static let operation = Operation(
      .put,
      "/v1/site",
      "Change what the site says of itself",
      access: .roles([.owner, .administrator])
    )
    public var ifMatch: EntityTag?
    public var body: Site

    public init(ifMatch: EntityTag? = nil, body: Site) {
      self.ifMatch = ifMatch
      self.body = body
    }
  }
}

/// What the owner writes about the site; all of it is public.
public struct Site: Codable, Sendable, Equatable, Versioned {
  /// A place where the owner is found.
  public struct SocialLink: Codable, Sendable, Equatable {
    public var name: ShortText
    public var link: WebLink

    public init(name: ShortText, link: WebLink) {
      self.name = name
      self.link = link
    }
  }

  /// A video that shows how to make something.
  public struct Tutorial: Codable, Sendable, Equatable {
    public var title: ShortText
    public var link: YouTubeLink
    /// Which type of products it is about.
    public var productType: Slug?

    public init(title: ShortText, link: YouTubeLink, productType: Slug? = nil) {
      self.title = title
      self.link = link
      self.productType = productType
    }
  }

  public var title: ShortText?
  /// What the first page says.
  public var home: LongText?
  /// The owner's address: it is told of new contact messages, and answers to them come from it.
  public var email: EmailAddress?
  /// At most 50.
  public var socialLinks: [SocialLink]
  /// At most 100.
  public var tutorials: [Tutorial]
  /// Counts the changes; also in `ETag`. 0 for a site of which nothing was said yet; ignored in a request.
  public var version: Int

  public init(
    title: ShortText? = nil,
    home: LongText? = nil,
    email: EmailAddress? = nil,
    socialLinks: [SocialLink] = [],
    tutorials: [Tutorial] = [],
    version: Int = 0
  ) {
    self.title = title
    self.home = home
    self.email = email
    self.socialLinks = socialLinks
    self.tutorials = tutorials
    self.version = version
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decodeIfPresent(ShortText.self, forKey: .title)
    home = try container.decodeIfPresent(LongText.self, forKey: .home)
    email = try container.decodeIfPresent(EmailAddress.self, forKey: .email)
    socialLinks = try container.decode([SocialLink].self, forKey: .socialLinks)
    tutorials = try container.decode([Tutorial].self, forKey: .tutorials)
    version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 0
  }
}
