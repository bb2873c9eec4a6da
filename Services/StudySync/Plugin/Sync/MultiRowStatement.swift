import Persistence

/// A statement that writes several rows at once. The numbers of rows are powers of two, so that few texts are prepared.
enum MultiRowStatement {
  private static let maxRows = 32

  /// - Parameters:
  ///   - start: Everything before the rows.
  ///   - end: Everything after them.
  static func execute(_ rows: [[SQLValue]], in tx: Transaction, _ start: StaticString, _ end: StaticString) throws {
    var rest = rows[...]
    while !rest.isEmpty {
      var count = maxRows
      while count > rest.count { count /= 2 }
      var statement = SQL.Interpolation(literalCapacity: 512, interpolationCount: count * rest[rest.startIndex].count)
      statement.appendLiteral(start)
      for (index, row) in rest.prefix(count).enumerated() {
        statement.appendLiteral(index == 0 ? " (" : ", (")
        for (place, value) in row.enumerated() {
          if place > 0 { statement.appendLiteral(", ") }
          statement.appendInterpolation(value)
        }
        statement.appendLiteral(")")
      }
      statement.appendLiteral(" ")
      statement.appendLiteral(end)
      try tx.execute(SQL(stringInterpolation: statement))
      rest = rest.dropFirst(count)
    }
  }
}
