extension CatalogAPI {
  /// The file is CSV (`text/csv`) with a header row, or a JSON array. Valid rows are imported, invalid ones are reported.
  /// A row belongs to the product with its `sourceID` or, without one, its `sku`. A row that is the same as in an earlier
  /// import changes nothing, not even the stock, so a file can be imported again; of a changed row, the fields that it
  /// gives are applied. Without both identifiers, a changed row is a new product.
  ///
  /// Columns are `sourceID`, `sku`, `type`, `title`, `description`, `price`, `currency`, `taxClass`, `isShipped`,
  /// `weightGrams`, `onHand`, `images`, `video` and `variant`. In CSV, `isShipped` is `true` or `false`, a price is a
  /// decimal number such as `24.99`, and images are separated by spaces; in JSON, a price is an object with `amount` and
  /// `currency`, and images are an array.
  ///
  /// A product with variants has one row for each in CSV, with its `sourceID`, the variant's name in `variant`, and the
  /// `sku`, price, weight and stock of the variant; the first row gives the product's other fields. In JSON, it has an
  /// array `variants`. A variant is known by its SKU or its name; those that a file omits stay.
  public struct ImportProducts: Endpoint {
    public typealias Response = ImportReport
    public static let operation = Operation.post(
      "/v1/products/import", "Import products from a file", access: .owners,
      limits: .init(bodyBytes: 4 << 20, seconds: 60), accepts: [.json, .text], cost: .costly
    )
    public var body: ImportFile
    public init(body: ImportFile) { self.body = body }
  }
}
