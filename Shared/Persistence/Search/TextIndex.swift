/// Full-text search that tolerates typing errors and abbreviations and filters by values; identical on both databases.
///
/// Documents have numbers in the order in which they were added. `search_postings` has the numbers of the documents with a
/// word, a beginning of a word or a value, as compressed sets of at most 65,536 (``NumberSet``): a search combines them
/// with bit operations, so it reads a row for 65,536 documents and finds everything that matches, also where a word or a
/// filter has millions of documents and they share few. `search_vocabulary` has the distinct words, some hundreds in a row, to
/// find those that are similar; `search_documents` has the words of each document, by which the candidates are ranked.
///
/// A new document is first kept as a whole (`search_pending`), where searches compare it with their words, and added to
/// the sets together with others. So writers of different documents rarely change the same rows, and a set that
/// many documents belong to is not written for each of them.
public struct TextIndex: Sendable {
  /// Distinguishes the indexes of one service.
  let kind: String

  public init(_ kind: String) { self.kind = kind }

  /// One in so many new documents adds those that wait to the sets.
  private static let pendingPerFold: UInt64 = 16
  /// Documents that are added to the sets at once.
  static let maxFold = 512

  /// Indexes a document, replacing what was indexed of it before. One without words and values is removed.
  public func put(_ document: TextDocument, in tx: Transaction) throws {
    let isNew = try keep(document, in: tx)
    if isNew, Self.isFolding(document.name) { try fold(in: tx) }
  }

  /// Indexes many documents; faster than one after the other.
  public func put(_ documents: [TextDocument], in tx: Transaction) throws {
    var waiting = 0
    for document in documents {
      if try keep(document, in: tx) { waiting += 1 }
      if waiting == Self.maxFold {
        try fold(in: tx)
        waiting = 0
      }
    }
    if waiting > 0 { try fold(in: tx) }
  }

  /// - Returns: Whether the document waits to be added to the sets.
  private func keep(_ document: TextDocument, in tx: Transaction) throws -> Bool {
    let content = DocumentContent(document.fields, values: document.values)
    if content.isEmpty {
      try remove(document.name, in: tx)
    } else if let stored = try stored(document.name, in: tx) {
      try replace(stored, of: document.name, by: content, in: tx)
    } else {
      try keep(document.name, content, in: tx)
      return true
    }
    return false
  }

  /// Removes a document from the index.
  public func remove(_ document: String, in tx: Transaction) throws {
    try tx.execute("DELETE FROM search_pending WHERE kind = \(kind) AND document = \(document)")
    guard let stored = try stored(document, in: tx) else { return }
    try tx.execute("DELETE FROM search_documents WHERE kind = \(kind) AND number = \(stored.number)")
    var changes = PostingChanges()
    for term in DocumentContent(stored.content).terms { changes.remove(stored.number, from: term) }
    try changes.apply(to: kind, in: tx)
  }

  private struct Stored {
    var number: Int64
    var content: [UInt8]
  }

  private func stored(_ document: String, in db: any Connection) throws -> Stored? {
    try db.first(
      "SELECT number, content FROM search_documents WHERE kind = \(kind) AND document = \(document)"
    ) { Stored(number: try $0["number"], content: try $0["content"]) }
  }

  private func replace(_ stored: Stored, of document: String, by content: DocumentContent, in tx: Transaction) throws {
    let bytes = content.bytes
    if bytes == stored.content { return }
    let (before, after) = (DocumentContent(stored.content).terms, content.terms)
    var changes = PostingChanges()
    for term in before.subtracting(after) { changes.remove(stored.number, from: term) }
    for term in after.subtracting(before) { changes.add(stored.number, to: term) }
    try changes.apply(to: kind, in: tx)
    try tx.execute(
      "UPDATE search_documents SET content = \(bytes) WHERE kind = \(kind) AND number = \(stored.number)"
    )
  }

  private func keep(_ document: String, _ content: DocumentContent, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO search_pending (kind, document, added_at, content)
      VALUES (\(kind), \(document), \(tx.now), \(content.bytes))
      ON CONFLICT (kind, document) DO UPDATE SET content = excluded.content
      """
    )
  }

  /// Whether a new document adds those that wait to the sets. By its name and not by their number, because transactions
  /// that count them would conflict with each other.
  private static func isFolding(_ document: String) -> Bool {
    // FNV-1a, whose last bytes reach the bits that are used by the steps of MurmurHash3.
    var hash = document.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    for factor in [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53] as [UInt64] {
      hash = (hash ^ hash >> 33) &* factor
    }
    return (hash >> 32) % pendingPerFold == 0
  }

  /// Adds documents that wait to the sets.
  func fold(in tx: Transaction) throws {
    let waiting = try tx.all(
      """
      SELECT document, content FROM search_pending WHERE kind = \(kind)
      ORDER BY added_at, document LIMIT \(Self.maxFold)
      """
    ) { row -> (document: String, content: [UInt8]) in (try row["document"], try row["content"]) }
    guard !waiting.isEmpty else { return }
    let next = try tx.count("SELECT COALESCE(MAX(number) + 1, 0) FROM search_documents WHERE kind = \(kind)")
    var changes = PostingChanges()
    for (offset, item) in waiting.enumerated() {
      let number = Int64(next + offset)
      try tx.execute(
        """
        INSERT INTO search_documents (kind, number, document, content)
        VALUES (\(kind), \(number), \(item.document), \(item.content))
        """
      )
      for term in DocumentContent(item.content).terms { changes.add(number, to: term) }
    }
    try tx.execute(
      "DELETE FROM search_pending WHERE kind = \(kind) AND document IN \(list: waiting.map(\.document))"
    )
    try changes.apply(to: kind, in: tx)
  }
}
