public import Contracts

extension Fuzzer {
  /// Runs cursors of a list: what is accepted as one is the same one after it was given out again.
  ///
  /// - Parameter examples: Cursors that the list gives out.
  public static func runCursors<Cursor: PageCursor>(_ type: Cursor.Type, _ name: String, _ examples: [String])
    async throws
  {
    let words = ["_", "-", "+1", "before", "after", "\u{301}", ID<Cursor>.example.rawValue]
    let corpus = FuzzCorpus(examples, words: words, separators: "_-", maxBytes: 400)
    try await Fuzzer("cursor-\(name)", corpus, inputs: 2_000).run { input, _ in
      guard let cursor = Cursor(cursor: String(decoding: input, as: UTF8.self))?.cursor else { return false }
      let again = Cursor(cursor: cursor)?.cursor
      try confirm(again == cursor, "\(cursor) becomes \(again ?? "nothing")")
      return true
    }
  }
}
