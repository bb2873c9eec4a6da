import Contracts
public import Persistence

/// How the databases execute a query.
public enum QueryPlan {
  /// The tables that SQLite would read whole or sort; empty when every row is found by an index.
  ///
  /// A table may be read in the order of an index, because the rows after the limit are not read. The rows of a subquery,
  /// which is checked itself, may be sorted.
  public static func wholeReads(of sql: SQL, in db: any Connection) throws -> [String] {
    let steps = try db.all("EXPLAIN QUERY PLAN \(sql)") { row in
      Step(parent: try row["parent"], detail: try row["detail"])
    }
    let subqueries = Set(steps.filter { ["CO-ROUTINE", "MATERIALIZE"].contains($0.words[0]) }.map(\.name))
    return steps.filter { step in
      if step.words[0] == "SCAN" {
        return !subqueries.contains(step.name) && !step.detail.contains(" USING ") && !step.detail.contains("CONSTANT")
      }
      guard step.detail.contains("TEMP B-TREE"), step.detail.hasSuffix("ORDER BY") else { return false }
      let outer = steps.first { $0.parent == step.parent && ["SCAN", "SEARCH"].contains($0.words[0]) }
      return outer.map { !subqueries.contains($0.name) } ?? true
    }.map(\.detail)
  }

  private struct Step {
    var parent: Int
    var detail: String

    var words: [Substring] { detail.split(separator: " ") }
    /// The table or subquery of the step.
    var name: Substring { words.count > 1 ? words[1] : "" }
  }

  /// How many rows of tables PostgreSQL reads when it executes the query, with those that do not match its filters. It
  /// prefers indexes, as it does by itself when tables are larger than those of tests.
  public static func rowsRead(by sql: SQL, in db: any Connection) throws -> Int {
    try db.execute("SET LOCAL enable_seqscan = off")
    let plan = try db.value("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) \(sql)", as: String.self) ?? "[]"
    let parts = try WireJSON.decode(JSONValue.self, from: plan.utf8).elements
    return Int(parts.reduce(0) { $0 + ($1["Plan"].map { rowsRead($0) } ?? 0) })
  }

  private static func rowsRead(_ node: JSONValue) -> Double {
    func number(_ name: String) -> Double {
      switch node[name] {
      case .integer(let value)?: Double(value)
      case .number(let value)?: value
      default: 0
      }
    }
    let rows = number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Index Recheck")
    let own = node["Relation Name"].map { _ in rows * number("Actual Loops") } ?? 0
    return (node["Plans"]?.elements ?? []).reduce(own) { $0 + rowsRead($1) }
  }
}
