extension CatalogAPI {
  /// In the language of `language` or, without it, in the one of `Accept-Language` that is best known; English where
  /// neither is. Languages are `en` and `de`.
  public struct ListEnumerations: Endpoint {
    public typealias Response = Enumerations
    public static let operation = Operation.get(
      "/v1/enumerations", "List the enumerations with localized labels", access: .anyone,
      caching: .shared, variesBy: ["Accept-Language"]
    )
    /// A language range, such as `de` or `de-AT`.
    public var language: String?
    public init(language: String? = nil) { self.language = language }
  }
}
