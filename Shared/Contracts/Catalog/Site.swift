/// The site information that the owner maintains; all of it is public.
public struct Site: Codable, Sendable, Equatable, Versioned {
  /// The owner's profile on another site.
  public struct SocialLink: Codable, Sendable, Equatable {
    public var name: ShortText
    public var link: WebLink
    public init(name: ShortText, link: WebLink) { (self.name, self.link) = (name, link) }
  }

  public struct Tutorial: Codable, Sendable, Equatable {
    public var title: ShortText
    public var link: YouTubeLink
    /// The product type that the tutorial is about.
    public var productType: Slug?
    public init(title: ShortText, link: YouTubeLink, productType: Slug? = nil) {
      (self.title, self.link, self.productType) = (title, link, productType)
    }
  }

  public var title: ShortText?
  /// The text of the home page.
  public var home: LongText?
  /// The owner's address: it receives notifications of new contact messages and is the `Reply-To` of the answers.
  public var email: EmailAddress?
  /// At most 50.
  public var socialLinks: [SocialLink]
  /// At most 100.
  public var tutorials: [Tutorial]
  /// 0 until the site information is first set; ignored in requests.
  public var version: Int
  public init(
    title: ShortText? = nil, home: LongText? = nil, email: EmailAddress? = nil, socialLinks: [SocialLink] = [],
    tutorials: [Tutorial] = [], version: Int = 0
  ) {
    (self.title, self.home, self.email, self.socialLinks, self.tutorials) = (title, home, email, socialLinks, tutorials)
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
