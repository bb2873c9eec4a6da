extension CatalogAPI {
  /// The file is CSV (`text/csv`) with a header row, or a JSON array. Rows are identified by `sku`: for an existing
  /// product, only the fields given in the row are changed. Valid rows are imported, invalid ones are reported.
  ///
  /// Columns are `sku`, `type`, `title`, `description`, `price`, `currency`, `taxClass`, `weightGrams`, `onHand`,
  /// `images` and `video`. In CSV, a price is a decimal number such as `24.99`, and images are separated by spaces; in
  /// JSON, a price is an object with `amount` and `currency`, and images are an array.
  public struct ImportProducts: Endpoint {
    public typealias Response = ProductImportReport
    public static let operation = Operation.post(
      "/v1/products/import", "Import products from a file", access: .owners,
      limits: .init(bodyBytes: 4 << 20, seconds: 60), accepts: [.json, .text]
    )
    public var body: ProductFile
    public init(body: ProductFile) { self.body = body }
  }
}
