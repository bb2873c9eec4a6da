import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit

/// The reason why a row of an imported file is rejected.
struct ImportViolation: Error {
  var messages: [String]

  init(_ messages: String...) { self.messages = messages }

  /// - Parameter problem: A problem of the request that the row stands for.
  init(_ problem: Problem) {
    messages = (problem.errors ?? []).map { "\($0.location.replacing("body.", with: "")) \($0.message)" }
    if messages.isEmpty { messages = [problem.title] }
  }
}

/// The rows of an imported file; each is independent of the others.
struct ImportRows {
  enum Fields {
    /// The fields of a row of a CSV file; empty ones are left out.
    case text([String: String])
    case object(JSONValue)
  }

  struct Row {
    /// The line where the row begins or, in JSON, its position; counted from 1.
    var line: Int
    var fields: Result<Fields, ImportViolation>
  }

  let rows: [Row]

  private static let maxCount = 5000

  /// - Parameters:
  ///   - columns: Those that a CSV file may have.
  ///   - members: Those that a JSON object may have.
  /// - Throws: ``Problem`` for a file that has no valid header line or too many rows.
  init(_ file: ImportFile, columns: Set<String>, members: Set<String>) throws(Problem) {
    switch file {
    case .csv(let text): rows = try Self.csv(text, columns)
    case .rows(let values):
      rows = values.prefix(Self.maxCount + 1).enumerated().map { index, value in
        Row(line: index + 1, fields: Self.item(value, members))
      }
    }
    guard rows.count <= Self.maxCount else { throw Self.invalid("body", "may have at most \(Self.maxCount) rows") }
  }

  private static func invalid(_ location: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: location, message: message)])
  }

  private static func item(_ value: JSONValue, _ members: Set<String>) -> Result<Fields, ImportViolation> {
    guard case .object(let fields) = value else { return .failure(ImportViolation("must be an object")) }
    var violation = ImportViolation()
    violation.messages = fields.map(\.name).filter { !members.contains($0) }.map { "\($0) is unknown" }
    return violation.messages.isEmpty ? .success(.object(value)) : .failure(violation)
  }

  private static func csv(_ text: String, _ columns: Set<String>) throws(Problem) -> [Row] {
    // The header line, and one row above the limit, so that an excess is detected.
    let records = CSVRecords(text, limit: maxCount + 2).records
    guard let head = records.first, head.isWellFormed else { throw invalid("body", "has no header line") }
    let names = head.fields.map { $0.trimmingCharacters(in: .whitespaces) }
    let unknown = names.filter { !columns.contains($0) }
    guard unknown.isEmpty, Set(names).count == names.count else {
      let message = unknown.isEmpty ? "repeats a column" : "has unknown columns: \(unknown.joined(separator: ", "))"
      throw invalid("body line 1", message)
    }
    return records.dropFirst().map { record in
      guard record.isWellFormed else {
        return Row(line: record.line, fields: .failure(ImportViolation("has malformed quotes")))
      }
      guard record.fields.count == names.count else {
        let violation = ImportViolation("has \(record.fields.count) fields instead of \(names.count)")
        return Row(line: record.line, fields: .failure(violation))
      }
      let fields = Dictionary(uniqueKeysWithValues: zip(names, record.fields)).filter { !$0.value.isEmpty }
      return Row(line: record.line, fields: .success(.text(fields)))
    }
  }

  // MARK: values

  /// Decodes a value from the fields of a row.
  static func decode<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws(ImportViolation) -> Value {
    do { return try WireJSON.decode(Value.self, from: WireJSON.encode(value)) } catch let problem as Problem {
      throw ImportViolation(problem)
    } catch {
      throw ImportViolation("cannot be read")
    }
  }

  /// A fingerprint of the content of a row, independent of the format of the file.
  static func fingerprint(of value: some Encodable) throws -> String {
    SHA256.hash(data: try WireJSON.encode(value)).hexadecimal
  }
}

extension ImportReport {
  /// The changes that the audit trail records of an import.
  var auditChanges: [AuditChange] {
    [
      AuditChange("created", from: nil, to: String(created)), AuditChange("updated", from: nil, to: String(updated)),
    ]
  }
}
