import Contracts
import Foundation
import SwiftCSV

/// The rows of a product file, each either a decoded product or its errors.
struct ProductRows {
  struct Row {
    var line: Int
    var form: Result<CatalogAPI.CreateProduct, Complaint>
  }

  struct Complaint: Error {
    var messages: [String]
  }

  let rows: [Row]

  private static let maxCount = 5000

  /// - Throws: ``Problem`` for a file that has no valid header line or too many rows.
  init(_ file: ProductFile) throws(Problem) {
    switch file {
    case .csv(let text): rows = try Self.csv(text)
    case .rows(let values):
      rows = values.prefix(Self.maxCount + 1).enumerated().map { Row(line: $0.offset + 1, form: Self.item($0.element)) }
    }
    guard rows.count <= Self.maxCount else {
      throw Problem(
        .invalidRequest, errors: [.init(location: "body", message: "may have at most \(Self.maxCount) rows")])
    }
  }

  private static func form(_ value: JSONValue) -> Result<CatalogAPI.CreateProduct, Complaint> {
    do {
      return .success(try WireJSON.decode(CatalogAPI.CreateProduct.self, from: WireJSON.encode(value)))
    } catch let problem as Problem {
      let messages = messages(of: problem)
      return .failure(Complaint(messages: messages.isEmpty ? ["cannot be read"] : messages))
    } catch {
      return .failure(Complaint(messages: ["cannot be read"]))
    }
  }

  static func messages(of problem: Problem) -> [String] {
    (problem.errors ?? []).map { "\($0.location.replacing("body.", with: "")) \($0.message)" }
  }

  // MARK: JSON

  private static let members = columns.subtracting(["currency"]).union(["variants"])

  private static func item(_ value: JSONValue) -> Result<CatalogAPI.CreateProduct, Complaint> {
    guard case .object(let fields) = value else { return .failure(Complaint(messages: ["must be an object"])) }
    let unknown = fields.map(\.name).filter { !members.contains($0) }
    guard unknown.isEmpty else {
      return .failure(Complaint(messages: unknown.map { "\($0) is unknown" }))
    }
    return form(value)
  }

  // MARK: CSV

  /// Columns of a CSV file. `images` holds ids separated by spaces.
  private static let columns: Set<String> = [
    "type", "title", "description", "sku", "price", "currency", "taxClass", "weightGrams", "images", "video", "onHand",
  ]

  private static func csv(_ text: String) throws(Problem) -> [Row] {
    // The header line, and one row above the limit, so that an excess is detected.
    let records = CSVRecords(text, limit: maxCount + 2).records
    guard let head = records.first, head.isWellFormed else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "has no header line")])
    }
    let names = head.fields.map { $0.trimmingCharacters(in: .whitespaces) }
    let unknown = names.filter { !columns.contains($0) }
    guard unknown.isEmpty, Set(names).count == names.count else {
      let message = unknown.isEmpty ? "repeats a column" : "has unknown columns: \(unknown.joined(separator: ", "))"
      throw Problem(.invalidRequest, errors: [.init(location: "body line 1", message: message)])
    }
    return records.dropFirst().map { record in
      guard record.isWellFormed else {
        return Row(line: record.line, form: .failure(Complaint(messages: ["has malformed quotes"])))
      }
      guard record.fields.count == names.count else {
        let message = "has \(record.fields.count) fields instead of \(names.count)"
        return Row(line: record.line, form: .failure(Complaint(messages: [message])))
      }
      let fields = Dictionary(uniqueKeysWithValues: zip(names, record.fields)).filter { !$0.value.isEmpty }
      return Row(line: record.line, form: Result { () throws(Complaint) in try json(fields) }.flatMap(form))
    }
  }

  private static func json(_ fields: [String: String]) throws(Complaint) -> JSONValue {
    func number(_ text: String) -> JSONValue { Int64(text).map { .integer($0) } ?? .string(text) }
    var members = fields.filter { !["price", "currency", "images", "weightGrams", "onHand"].contains($0.key) }
      .map { ($0.key, Optional(JSONValue.string($0.value))) }
    for name in ["weightGrams", "onHand"] { members.append((name, fields[name].map(number))) }
    if let images = fields["images"] {
      members.append(("images", .array(images.split(separator: " ").map { .string(String($0)) })))
    }
    let currency = fields["currency"].map { $0.uppercased() }
    var amount: JSONValue?
    if let text = fields["price"] {
      // Without a known currency, decoding reports the currency instead of the price.
      let known = currency.flatMap { Currency($0) }
      guard let units = known.map({ minorUnits(text, $0) }) ?? 0 else {
        let digits = known?.exponent ?? 0
        throw Complaint(messages: ["price must be a number with at most \(digits) digits after the decimal point"])
      }
      amount = .integer(units)
    }
    members.append(("price", .object([("amount", amount), ("currency", currency.map { .string($0) })])))
    return .object(members.sorted { $0.0 < $1.0 })
  }
}

extension ProductRows {
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

/// The records of a CSV file (RFC 4180) with their first line numbers. SwiftCSV parses the fields of one record;
/// records are split here, because SwiftCSV reports no line numbers and rejects a whole file for one malformed quote.
struct CSVRecords {
  struct Record {
    var line: Int
    var fields: [String]
    var isWellFormed = true
  }

  private(set) var records: [Record] = []

  /// - Parameter limit: The maximum number of records read.
  init(_ text: String, limit: Int) {
    let clean = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    let lines = clean.replacing("\r\n", with: "\n").replacing("\r", with: "\n").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    var first = 0
    while first < lines.count, records.count < limit {
      // A record continues on the next line while a quote is open.
      var isOpen = false
      let last = lines[first...].firstIndex { line in
        if !line.utf8.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) { isOpen.toggle() }
        return !isOpen
      }
      if let last, let fields = Self.fields(lines[first...last].joined(separator: "\n")) {
        if !fields.isEmpty { records.append(Record(line: first + 1, fields: fields)) }
        first = last + 1
      } else {
        // An unclosed quote invalidates only its own line, not the lines after it.
        records.append(Record(line: first + 1, fields: [], isWellFormed: false))
        first += 1
      }
    }
  }

  /// The fields of a record; empty for a blank line, `nil` when quotes are malformed.
  private static func fields(_ text: String) -> [String]? {
    if text.allSatisfy(\.isWhitespace) { return [] }
    return try? EnumeratedCSV(string: text + "\n", delimiter: .comma, loadColumns: false).header
  }
}
