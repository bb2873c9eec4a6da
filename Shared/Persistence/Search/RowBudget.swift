/// How many rows one search may read. When it is used up, the search answers by what it has read, of which the newest
/// documents and the shortest similar words come first.
struct RowBudget {
  /// Rows of one search, of whatever words it consists. A row has at most 8 KB.
  static let standard = 12_000
  /// Rows of words, with about 400 words each, that are compared with one word of a query.
  static let maxWordRows = 512
  /// First letters that are tried where the first one may be wrong.
  static let maxLeads = 64
  /// New documents that are not in the sets yet.
  static let maxPending = 512

  private(set) var read = 0
  private let limit: Int

  init(_ limit: Int) { self.limit = limit }

  var rest: Int { max(0, limit - read) }

  func part(of wanted: Int) -> Int { min(wanted, rest) }

  mutating func take(_ rows: Int) { read += rows }
}
