extension CatalogAPI {
  /// Newest first.
  public struct ListTools: PagedEndpoint {
    public typealias Response = Page<Tool>
    public static let operation = Operation.get(
      "/v1/tools", "List recommended tools and supplies", access: .anyone, caching: .shared)
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct CreateTool: Endpoint {
    public typealias Response = Tool
    public static let operation = Operation.post(
      "/v1/tools", "Create a recommended tool", access: .owners, idempotency: .acceptsKey, success: 201,
      problems: [.mediaNotFound, .mediaNotReady]
    )
    public var name: ShortText
    public var description: LongText?
    public var link: WebLink?
    public var image: MediaID?
    public var productType: Slug?
    public init(
      name: ShortText, description: LongText? = nil, link: WebLink? = nil, image: MediaID? = nil,
      productType: Slug? = nil
    ) {
      (self.name, self.description, self.link, self.image) = (name, description, link, image)
      self.productType = productType
    }
  }

  public struct UpdateTool: Endpoint {
    public typealias Response = Tool
    public static let operation = Operation.patch(
      "/v1/tools/{id}", "Update a recommended tool", access: .owners, idempotency: .idempotent,
      problems: [.toolNotFound, .mediaNotFound, .mediaNotReady]
    )
    public var id: ToolID
    public var ifMatch: EntityTag?
    public var name: ShortText?
    public var description: Patch<LongText>
    public var link: Patch<WebLink>
    public var image: Patch<MediaID>
    public var productType: Patch<Slug>
    public init(
      id: ToolID, ifMatch: EntityTag? = nil, name: ShortText? = nil, description: Patch<LongText> = .keep,
      link: Patch<WebLink> = .keep, image: Patch<MediaID> = .keep, productType: Patch<Slug> = .keep
    ) {
      (self.id, self.ifMatch, self.name, self.description, self.link) = (id, ifMatch, name, description, link)
      (self.image, self.productType) = (image, productType)
    }
  }

  public struct DeleteTool: Endpoint {
    public static let operation = Operation.delete(
      "/v1/tools/{id}", "Delete a recommended tool", access: .owners, success: 204
    )
    public var id: ToolID
    public init(id: ToolID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let toolNotFound = Self(
    "tool-not-found", status: 404, "There is no such tool",
    meaning: "The tool does not exist or was deleted.",
    remedy: "Load the list of tools again.")
}
