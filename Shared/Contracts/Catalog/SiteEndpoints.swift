extension CatalogAPI {
  public struct GetSite: Endpoint {
    public typealias Response = Site
    public static let operation = Operation.get(
      "/v1/site", "Get the site information", access: .anyone, caching: .shared)
    public init() {}
  }

  public struct PutSite: Endpoint {
    public typealias Response = Site
    public static let operation = Operation.put("/v1/site", "Replace the site information", access: .owners)
    public var ifMatch: EntityTag?
    public var body: Site
    public init(ifMatch: EntityTag? = nil, body: Site) { (self.ifMatch, self.body) = (ifMatch, body) }
  }
}
