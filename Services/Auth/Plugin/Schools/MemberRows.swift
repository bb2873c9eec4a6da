import Contracts
import SwiftCSV

/// A valid row of a list of members.
struct MemberRow: Sendable {
  var line: Int
  var number: SourceID
  var username: Username
  var firstName: PersonName?
  var lastName: PersonName?
  var birthday: CalendarDate?
  /// `student` or `instructor`; a row without one keeps the role of a known member.
  var role: SchoolRole?
}

/// The rows of a list of members: the valid ones, and why others are not.
struct MemberRows: Sendable {
  private(set) var rows: [MemberRow] = []
  private(set) var rejected: [ImportReport.Rejection] = []

  /// Each new member costs the hash of a password.
  static let maxCount = 300
  private static let columns = ["number", "username", "firstName", "lastName", "birthday", "role"]

  /// - Throws: ``Problem`` 422 for a file that is no list at all.
  init(_ file: ImportFile) throws {
    let found =
      switch file {
      case .csv(let text): try Self.csv(text)
      case .rows(let items): items.enumerated().map { (line: $0 + 1, fields: Self.fields($1)) }
      }
    guard found.count <= Self.maxCount else {
      throw Self.invalid("must have at most \(Self.maxCount) rows")
    }
    var lines: [String: Int] = [:]
    for (line, fields) in found {
      guard let fields else {
        rejected.append(.init(line: line, errors: ["the row must be an object of texts with known names"]))
        continue
      }
      var (row, errors) = Self.read(fields, line)
      for name in [row.map { "number \($0.number)" }, row.map { "username \($0.username)" }].compactMap(\.self) {
        if let earlier = lines[name] { errors.append("\(name) is already used in line \(earlier)") }
        lines[name] = lines[name] ?? line
      }
      if !errors.isEmpty { row = nil }
      if let row { rows.append(row) } else { rejected.append(.init(line: line, errors: errors)) }
    }
  }

  private static func invalid(_ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body", message: message)])
  }

  private static func csv(_ text: String) throws -> [(line: Int, fields: [String: String]?)] {
    guard let table = try? CSV<Named>(string: text) else { throw invalid("is not CSV with a header row") }
    let missing = ["number", "username"].filter { !table.header.contains($0) }
    guard missing.isEmpty else { throw invalid("lacks the columns \(missing.joined(separator: ", "))") }
    let unknown = table.header.filter { !columns.contains($0) }
    guard unknown.isEmpty else { throw invalid("has columns that are not known, such as one of \(unknown.count)") }
    var line = 2
    return table.rows.map { row in
      defer { line += 1 + row.values.reduce(0) { $0 + $1.count { $0.isNewline } } }
      return (line, row)
    }
  }

  /// - Returns: `nil` unless the item is an object of texts.
  private static func fields(_ item: JSONValue) -> [String: String]? {
    guard case .object(let members) = item else { return nil }
    var fields: [String: String] = [:]
    for member in members {
      guard columns.contains(member.name), let text = member.value.string else { return nil }
      fields[member.name] = text
    }
    return fields
  }

  private static func read(_ fields: [String: String], _ line: Int) -> (row: MemberRow?, errors: [String]) {
    var errors: [String] = []
    func text(_ name: String) -> String? {
      let text = String((fields[name] ?? "").trimmingPrefix { $0.isWhitespace }.reversed())
      let trimmed = String(text.trimmingPrefix { $0.isWhitespace }.reversed())
      return trimmed.isEmpty ? nil : trimmed
    }
    func value<Value>(_ name: String, _ message: String, _ read: (String) -> Value?) -> Value? {
      guard let text = text(name) else { return nil }
      let value = read(text)
      if value == nil { errors.append("\(name) \(message)") }
      return value
    }
    for name in ["number", "username"] where text(name) == nil { errors.append("\(name) is missing") }
    let number = value("number", "must be printable ASCII without spaces") { try? SourceID(validating: $0) }
    let username = value("username", "may contain only 3 to 30 letters, digits, dots, dashes and underscores") {
      try? Username(validating: $0)
    }
    let firstName = value("firstName", "is not valid") { try? PersonName(validating: $0) }
    let lastName = value("lastName", "is not valid") { try? PersonName(validating: $0) }
    let birthday = value("birthday", "must be a date in the format YYYY-MM-DD") { CalendarDate($0) }
    let role = value("role", "must be student or instructor") { text in
      SchoolRole(rawValue: text).flatMap { $0 == .staff ? nil : $0 }
    }
    guard errors.isEmpty, let number, let username else { return (nil, errors) }
    let row = MemberRow(
      line: line, number: number, username: username, firstName: firstName, lastName: lastName, birthday: birthday,
      role: role)
    return (row, [])
  }
}
