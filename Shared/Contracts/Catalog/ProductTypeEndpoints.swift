extension CatalogAPI {
  /// Ordered by slug.
  public struct ListProductTypes: PagedEndpoint {
    public typealias Response = Page<ProductType>
    public static let operation = Operation.get(
      "/v1/product-types", "List product types", access: .anyone, caching: .shared)
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct CreateProductType: Endpoint {
    public typealias Response = ProductType
    public static let operation = Operation.post(
      "/v1/product-types", "Create a product type", access: .owners, idempotency: .acceptsKey,
      success: 201, problems: [.productTypeExists]
    )
    public var body: ProductType
    public init(body: ProductType) { self.body = body }
  }
}

extension Problem.Kind {
  public static let productTypeExists = Self(
    "product-type-exists", status: 409, "The product type already exists",
    meaning: "There is a type of products with this name.",
    remedy: "Use the existing type, or choose another name.")
}
