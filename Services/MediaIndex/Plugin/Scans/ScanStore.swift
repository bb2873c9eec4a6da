import Contracts
import Persistence
import ServiceKit

/// Scans with their pages. A page without text is still to be recognized. Texts are encrypted: notes are personal.
struct ScanStore: Sendable {
  static let textColumn = SealedColumn("scan_pages", "text")

  let keys: DataKeys

  func find(_ id: MediaID, in db: any Connection) throws -> Scan? {
    try db.first(
      """
      SELECT media_id, state, failure, pages,
        (SELECT COUNT(*) FROM scan_pages p WHERE p.media_id = scans.media_id AND p.text IS NOT NULL) AS finished
      FROM scans WHERE media_id = \(id)
      """, decode)
  }

  /// Whether a run of a scan is under way.
  func isUnderWay(_ id: MediaID, run: Int, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM scans
      WHERE media_id = \(id) AND run = \(run) AND state IN (\(ScanState.queued), \(ScanState.scanning))
      """
    )
  }

  /// The scans of a user's media.
  func list(of owner: UserID, in db: any Connection) throws -> [Scan] {
    try db.all(
      """
      SELECT media_id, state, failure, pages,
        (SELECT COUNT(*) FROM scan_pages p WHERE p.media_id = scans.media_id AND p.text IS NOT NULL) AS finished
      FROM scans WHERE owner_id = \(owner) ORDER BY media_id
      """, decode)
  }

  private func decode(_ row: Row) throws -> Scan {
    Scan(
      media: try row["media_id"], state: try row["state"], failure: try row["failure"], pages: try row["pages"],
      finishedPages: try row["finished"])
  }

  /// Recognized pages in their order, up to the first that is still open: no page of a list is left out.
  func pages(of id: MediaID, after page: Int, limit: Int, in db: any Connection) throws -> [ScannedPage] {
    try db.all(
      """
      SELECT page, text, confidence, failure FROM scan_pages
      WHERE media_id = \(id) AND page > \(page)
        AND NOT EXISTS (SELECT 1 FROM scan_pages o
                        WHERE o.media_id = \(id) AND o.page <= scan_pages.page AND o.text IS NULL)
      ORDER BY page LIMIT \(limit)
      """
    ) { row in
      let page: Int = try row["page"]
      let text = try keys.open(try row["text"], in: Self.textColumn, row: Self.row(id, page))
      return ScannedPage(
        page: page, text: String(decoding: text, as: UTF8.self), confidence: try row["confidence"],
        failure: try row["failure"])
    }
  }

  /// Starts a scan, or starts a failed one again.
  /// - Returns: The number of the run.
  func start(_ id: MediaID, of owner: UserID, in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM scan_pages WHERE media_id = \(id)")
    try tx.execute(
      """
      INSERT INTO scans (media_id, owner_id, state) VALUES (\(id), \(owner), \(ScanState.queued))
      ON CONFLICT (media_id) DO UPDATE SET state = excluded.state, failure = NULL, pages = NULL, run = scans.run + 1
      """
    )
    return try tx.values("SELECT run FROM scans WHERE media_id = \(id)", as: Int.self).first ?? 0
  }

  /// Notes how many pages there are.
  /// - Parameter texts: Of each page; `nil` for those to be recognized.
  func examined(_ id: MediaID, _ texts: [String?], in tx: Transaction) throws {
    try tx.execute("DELETE FROM scan_pages WHERE media_id = \(id)")
    try tx.execute(
      "UPDATE scans SET state = \(ScanState.scanning), pages = \(texts.count) WHERE media_id = \(id)")
    for (index, text) in texts.enumerated() {
      let row = Self.row(id, index + 1)
      let sealed = try text.map { try keys.seal(Array($0.utf8), in: Self.textColumn, row: row) }
      try tx.execute(
        "INSERT INTO scan_pages (id, media_id, page, text) VALUES (\(row), \(id), \(index + 1), \(sealed))")
    }
    try finishIfComplete(id, in: tx)
  }

  /// Stores what was recognized on a page.
  func put(_ page: ScannedPage, of id: MediaID, in tx: Transaction) throws {
    let sealed = try keys.seal(Array(page.text.utf8), in: Self.textColumn, row: Self.row(id, page.page))
    try tx.execute(
      """
      UPDATE scan_pages SET text = \(sealed), confidence = \(page.confidence), failure = \(page.failure)
      WHERE media_id = \(id) AND page = \(page.page)
      """
    )
  }

  /// Ends a scan of which every page is recognized.
  func finishIfComplete(_ id: MediaID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE scans SET state = \(ScanState.ready)
      WHERE media_id = \(id) AND state = \(ScanState.scanning) AND pages IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM scan_pages p WHERE p.media_id = scans.media_id AND p.text IS NULL)
      """
    )
  }

  func fail(_ id: MediaID, _ failure: MediaFailure, in tx: Transaction) throws {
    try tx.execute("UPDATE scans SET state = \(ScanState.failed), failure = \(failure) WHERE media_id = \(id)")
  }

  func delete(_ id: MediaID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM scan_pages WHERE media_id = \(id)")
    try tx.execute("DELETE FROM scans WHERE media_id = \(id)")
  }

  private static func row(_ id: MediaID, _ page: Int) -> String { "\(id):\(page)" }
}

/// Scans end with their media.
extension ScanStore: MediaObserver {
  func changed(_ stored: StoredMedia, in tx: Transaction) throws {}
  func deleted(_ id: MediaID, in tx: Transaction) throws { try delete(id, in: tx) }
}
