/// Such as bows.
public struct ProductType: Codable, Sendable, Equatable {
  public var slug: Slug
  public var name: ShortText
  public init(slug: Slug, name: ShortText) { (self.slug, self.name) = (slug, name) }
}
