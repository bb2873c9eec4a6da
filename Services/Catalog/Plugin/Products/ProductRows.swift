import Contracts
import Foundation
import SwiftCSV

/// The rows of a file of products: each a form that can be read, or what is wrong with it.
struct ProductRows {
  struct Row {
    var line: Int
    var form: Result<CatalogAPI.CreateProduct.Body, Complaint>
  }

  struct Complaint: Error {
    var messages: [String]
  }

  let rows: [Row]

  /// - Throws: ``Problem`` for a file that has no rows at all to look at.
  init(_ file: ProductFile) throws(Problem) {
    switch file {
    case .csv(let text): rows = try Self.csv(text)
    case .rows(let values):
      rows = values.enumerated().map { Row(line: $0.offset + 1, form: Self.form($0.element)) }
    }
    guard rows.count <= 50_000 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "may have at most 50000 rows")])
    }
  }

  private static func form(_ value: JSONValue) -> Result<CatalogAPI.CreateProduct.Body, Complaint> {
    do {
      return .success(try WireJSON.decode(CatalogAPI.CreateProduct.Body.self, from: WireJSON.encode(value)))
    } catch let problem as Problem {
      let errors = problem.errors ?? []
      let messages = errors.map { "\($0.location.replacing("body.", with: "")) \($0.message)" }
      return .failure(Complaint(messages: messages.isEmpty ? ["cannot be read"] : messages))
    } catch {
      return .failure(Complaint(messages: ["cannot be read"]))
    }
  }

  // MARK: CSV

  /// Columns of a CSV file. `images` holds ids parted by spaces.
  private static let columns: Set<String> = [
    "type", "title", "description", "sku", "price", "currency", "taxClass", "weightGrams", "images", "video", "onHand",
  ]

  private static func csv(_ text: String) throws(Problem) -> [Row] {
    let records = CSVRecords(text).records
    guard let head = records.first else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "has no head line")])
    }
    let names = head.fields.map { $0.trimmingCharacters(in: .whitespaces) }
    let unknown = names.filter { !columns.contains($0) }
    guard unknown.isEmpty, Set(names).count == names.count else {
      let message = unknown.isEmpty ? "has a column twice" : "has unknown columns: \(unknown.joined(separator: ", "))"
      throw Problem(.invalidRequest, errors: [.init(location: "body line 1", message: message)])
    }
    return records.dropFirst().map { record in
      guard record.isWellFormed else {
        return Row(line: record.line, form: .failure(Complaint(messages: ["has broken quotes"])))
      }
      guard record.fields.count == names.count else {
        let message = "has \(record.fields.count) fields, not \(names.count)"
        return Row(line: record.line, form: .failure(Complaint(messages: [message])))
      }
      let fields = Dictionary(uniqueKeysWithValues: zip(names, record.fields)).filter { !$0.value.isEmpty }
      return Row(line: record.line, form: form(json(fields)))
    }
  }

  private static func json(_ fields: [String: String]) -> JSONValue {
    func number(_ text: String) -> JSONValue { Int64(text).map { .integer($0) } ?? .string(text) }
    var members = fields.filter { !["price", "currency", "images", "weightGrams", "onHand"].contains($0.key) }
      .map { ($0.key, Optional(JSONValue.string($0.value))) }
    for name in ["weightGrams", "onHand"] { members.append((name, fields[name].map(number))) }
    if let images = fields["images"] {
      members.append(("images", .array(images.split(separator: " ").map { .string(String($0)) })))
    }
    let currency = fields["currency"].map { $0.uppercased() }
    let amount = fields["price"].map { text in
      Self.minorUnits(text, currency.flatMap { Currency($0) }).map { JSONValue.integer($0) } ?? .string(text)
    }
    members.append(("price", .object([("amount", amount), ("currency", currency.map { .string($0) })])))
    return .object(members.sorted { $0.0 < $1.0 })
  }
}

extension ProductRows {
  /// A price as people write it, such as `24.99`; with no more digits than the currency has.
  static func minorUnits(_ text: String, _ currency: Currency?) -> Int64? {
    guard let currency else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? String(parts[1]) : ""
    guard parts.count <= 2, parts.count == 1 || !fraction.isEmpty, fraction.count <= currency.exponent else {
      return nil
    }
    let digits = String(parts[0]) + fraction + String(repeating: "0", count: currency.exponent - fraction.count)
    return Int64(digits)
  }
}

/// The records of a CSV file (RFC 4180) with the lines where they begin. SwiftCSV reads the fields of one record; where a
/// record ends is decided here, for it tells no lines and gives up on a whole file for one broken quote.
struct CSVRecords {
  struct Record {
    var line: Int
    var fields: [String]
    var isWellFormed = true
  }

  private(set) var records: [Record] = []

  init(_ text: String) {
    var pending = ""
    var start = 1
    let clean = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    let lines = clean.replacing("\r\n", with: "\n").replacing("\r", with: "\n").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    for (index, line) in lines.enumerated() {
      if pending.isEmpty { start = index + 1 }
      pending += pending.isEmpty ? String(line) : "\n" + line
      // A record goes on in the next line while a quote is open.
      guard pending.utf8.count(where: { $0 == UInt8(ascii: "\"") }) % 2 == 0 else { continue }
      if !pending.allSatisfy(\.isWhitespace) { add(pending, at: start) }
      pending = ""
    }
    if !pending.isEmpty { records.append(Record(line: start, fields: [], isWellFormed: false)) }
  }

  private mutating func add(_ text: String, at line: Int) {
    guard let rows = try? EnumeratedCSV(string: text + "\n", delimiter: .comma, loadColumns: false) else {
      return records.append(Record(line: line, fields: [], isWellFormed: false))
    }
    records.append(Record(line: line, fields: rows.header))
  }
}
