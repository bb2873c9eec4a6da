import Contracts
import ServiceKit

/// A product of an imported file.
struct ImportedProduct: Sendable {
  /// The line of its first row.
  var line: Int
  var sourceID: SourceID?
  var form: CatalogAPI.CreateProduct

  /// The key by which the product is known in later imports.
  func key(fingerprint: String) -> String {
    sourceID.map { "id:\($0)" } ?? form.sku.map { "sku:\($0)" } ?? "row:\(fingerprint)"
  }

  var fingerprint: String {
    get throws { try ImportRows.fingerprint(of: Content(sourceID: sourceID, form: form)) }
  }

  private struct Content: Encodable {
    var sourceID: SourceID?
    var form: CatalogAPI.CreateProduct
  }
}

/// The products of a file, and the rows that are none. In CSV, the variants of a product are rows with its `sourceID`.
struct ProductRows {
  private(set) var products: [ImportedProduct] = []
  private(set) var rejected: [ImportReport.Rejection] = []

  /// The variants' rows of a product so far; `nil` when its first row is invalid.
  private var groups: [SourceID: Int?] = [:]

  /// `images` holds ids separated by spaces.
  private static let columns: Set<String> = [
    "sourceID", "type", "title", "description", "sku", "price", "currency", "taxClass", "isShipped", "weightGrams",
    "images", "video", "onHand", "variant",
  ]
  private static let members = columns.subtracting(["currency", "variant"]).union(["variants"])

  private struct Identity: Decodable {
    var sourceID: SourceID?
  }

  /// - Throws: ``Problem`` for a file that has no valid header line or too many rows.
  init(_ file: ImportFile) throws(Problem) {
    for row in try ImportRows(file, columns: Self.columns, members: Self.members).rows {
      do throws(ImportViolation) {
        switch try row.fields.get() {
        case .object(let value):
          let id = try ImportRows.decode(Identity.self, value).sourceID
          let form = try ImportRows.decode(CatalogAPI.CreateProduct.self, value)
          products.append(ImportedProduct(line: row.line, sourceID: id, form: form))
        case .text(let fields): try add(ProductRecord(fields), at: row.line)
        }
      } catch {
        rejected.append(.init(line: row.line, errors: error.messages))
      }
    }
  }

  private mutating func add(_ record: ProductRecord, at line: Int) throws(ImportViolation) {
    let id = try ImportRows.decode(Identity.self, record.identity).sourceID
    guard let name = record.variant else {
      let form = try ImportRows.decode(CatalogAPI.CreateProduct.self, record.product())
      return products.append(ImportedProduct(line: line, sourceID: id, form: form))
    }
    guard let id else { throw ImportViolation("variant needs the sourceID of its product") }
    if let known = groups[id] {
      guard let index = known else { throw ImportViolation("belongs to a product whose first row is invalid") }
      let form = products[index].form
      let variant = try ImportRows.decode(VariantForm.self, record.variant(name, of: form.price))
      guard form.variants?.contains(where: { $0.name == variant.name }) != true else {
        throw ImportViolation("variant is already used in the product")
      }
      products[index].form.variants?.append(variant)
      return
    }
    groups[id] = .some(nil)
    var form = try ImportRows.decode(CatalogAPI.CreateProduct.self, record.product())
    form.variants = [try ImportRows.decode(VariantForm.self, record.variant(name, of: form.price))]
    groups[id] = products.count
    products.append(ImportedProduct(line: line, sourceID: id, form: form))
  }
}

/// A row of a CSV file of products.
struct ProductRecord {
  let fields: [String: String]

  init(_ fields: [String: String]) { self.fields = fields }

  var variant: String? { fields["variant"] }

  var identity: JSONValue { .object([("sourceID", fields["sourceID"].map { .string($0) })]) }

  /// The fields of a product with variants that are not those of its first variant.
  func product() throws(ImportViolation) -> JSONValue {
    var members = ["type", "title", "description", "taxClass", "video"].map { ($0, text($0)) }
    if let images = fields["images"] {
      members.append(("images", .array(images.split(separator: " ").map { .string(String($0)) })))
    }
    members += [("weightGrams", number("weightGrams")), ("price", try price(fields["currency"]))]
    members.append(("isShipped", truth("isShipped")))
    if variant == nil { members += [("sku", text("sku")), ("onHand", number("onHand"))] }
    return .object(members)
  }

  func variant(_ name: String, of product: Price) throws(ImportViolation) -> JSONValue {
    let currency = fields["currency"] ?? product.currency.code
    return .object([
      ("name", .string(name)), ("sku", text("sku")), ("weightGrams", number("weightGrams")),
      ("isShipped", truth("isShipped")), ("onHand", number("onHand")),
      ("price", fields["price"] == nil ? nil : try price(currency)),
    ])
  }

  private func text(_ name: String) -> JSONValue? { fields[name].map { .string($0) } }

  private func number(_ name: String) -> JSONValue? {
    fields[name].map { text in Int64(text).map { .integer($0) } ?? .string(text) }
  }

  private func truth(_ name: String) -> JSONValue? {
    fields[name].map { text in Bool(text.lowercased()).map { .bool($0) } ?? .string(text) }
  }

  private func price(_ currency: String?) throws(ImportViolation) -> JSONValue {
    let code = currency?.uppercased()
    var amount: JSONValue?
    if let text = fields["price"] {
      // Without a known currency, decoding reports the currency instead of the price.
      let known = code.flatMap { Currency($0) }
      guard let units = known.map({ Self.minorUnits(text, $0) }) ?? 0 else {
        let digits = known?.exponent ?? 0
        throw ImportViolation("price must be a number with at most \(digits) digits after the decimal point")
      }
      amount = .integer(units)
    }
    return .object([("amount", amount), ("currency", code.map { .string($0) })])
  }

  /// Parses a decimal price such as `24.99`; `nil` when it has more fraction digits than the currency.
  private static func minorUnits(_ text: String, _ currency: Currency) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? String(parts[1]) : ""
    guard parts.count <= 2, parts.count == 1 || !fraction.isEmpty, fraction.count <= currency.exponent else {
      return nil
    }
    let digits = String(parts[0]) + fraction + String(repeating: "0", count: currency.exponent - fraction.count)
    return Int64(digits)
  }
}
