public typealias ToolID = ID<Tool>

/// Recommended by the owner.
public struct Tool: Codable, Sendable, Equatable, Versioned {
  public var id: ToolID
  public var name: ShortText
  public var description: LongText?
  /// The address at which it is sold.
  public var link: WebLink?
  public var image: MediaID?
  /// The product type that it is for.
  public var productType: Slug?
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: ToolID, name: ShortText, description: LongText?, link: WebLink?, image: MediaID?, productType: Slug?,
    createdAt: Timestamp, version: Int
  ) {
    (self.id, self.name, self.description, self.link, self.image) = (id, name, description, link, image)
    (self.productType, self.createdAt, self.version) = (productType, createdAt, version)
  }
}
