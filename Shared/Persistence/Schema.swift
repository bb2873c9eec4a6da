/// Statements that create tables, written as one text. Each ends with a `;` at the end of its line. Lines that begin with
/// `--` are comments, which a migration's hash does not cover.
public struct Schema: Sendable, ExpressibleByStringLiteral {
  let statements: [Migration.Statement]

  public init(stringLiteral text: StaticString) { statements = Self.split(text, nil) }

  private init(_ statements: [Migration.Statement]) { self.statements = statements }

  /// Statements that only one of the databases needs, such as those of a trigger.
  public static func on(_ dialect: Dialect, _ text: StaticString) -> Schema { Schema(split(text, dialect)) }

  public static func + (first: Schema, second: Schema) -> Schema { Schema(first.statements + second.statements) }

  private static func split(_ text: StaticString, _ dialect: Dialect?) -> [Migration.Statement] {
    var statements: [Migration.Statement] = []
    var lines: [Substring] = []
    for line in text.description.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("--") {
      let ends = line.hasSuffix(";")
      lines.append(ends ? line.dropLast() : line)
      guard ends else { continue }
      statements.append(Migration.Statement(sql: SQL(trusted: lines.joined(separator: "\n")), dialect: dialect))
      lines = []
    }
    assert(lines.isEmpty, "the last statement has no ; at the end of its line")
    return statements
  }
}
