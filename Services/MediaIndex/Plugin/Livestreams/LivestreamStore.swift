import Contracts
import Persistence
import ServiceKit

/// Live streams in the database. Titles and tags are searched, so they are plain; descriptions and links are encrypted.
struct LivestreamStore: Sendable {
  static let contentColumn = SealedColumn("livestreams", "content")
  private static let index = TextIndex("livestreams")

  let keys: DataKeys

  struct Content: Codable, Sendable {
    var description: LongText?
    var joinURL: WebLink?
  }

  func seal(_ content: Content, of id: LivestreamID) throws -> String {
    try keys.seal(WireJSON.encode(content), in: Self.contentColumn, row: id.rawValue)
  }

  func content(_ stored: StoredLivestream) throws -> Content {
    try WireJSON.decode(
      Content.self, from: keys.open(stored.sealed, in: Self.contentColumn, row: stored.id.rawValue))
  }

  /// - Returns: `nil` for what is left of a deleted account's live stream.
  func open(_ stored: StoredLivestream) throws -> Livestream? {
    guard let host = stored.host else { return nil }
    let content = try content(stored)
    return Livestream(
      id: stored.id, hostID: host, provider: stored.provider, state: stored.state, failure: stored.failure,
      visibility: stored.visibility, title: ShortText(checked: stored.title), description: content.description,
      tags: stored.tags, workoutType: stored.workoutType, startsAt: stored.startsAt, minutes: stored.minutes,
      joinURL: stored.isListed ? content.joinURL : nil, createdAt: stored.createdAt, version: stored.version)
  }

  // MARK: reading

  static func find(_ id: LivestreamID, in db: any Connection) throws -> StoredLivestream? {
    try list("id = \(id)", "id", limit: 1, in: db).first
  }

  static func find(meeting: Int64, in db: any Connection) throws -> StoredLivestream? {
    try list("meeting_id = \(meeting)", "id", limit: 1, in: db).first
  }

  /// A page by start, earliest first.
  static func page(_ condition: SQL, after: StoredLivestream.Cursor?, limit: Int, in db: any Connection) throws
    -> [StoredLivestream]
  {
    try list(
      .and(condition, after.map { "(starts_at, id) > (\($0.startsAt), \($0.id))" }), "starts_at, id", limit: limit,
      in: db)
  }

  /// The live streams that match a query, best first.
  static func search(_ query: TextQuery, _ condition: SQL, limit: Int, in db: any Connection) throws
    -> [StoredLivestream]
  {
    let ids = try index.search(
      query, limit: limit,
      keeping: { ids in
        let filter = SQL.and("id IN \(list: ids)", condition)
        return Set(try db.values("SELECT id FROM livestreams WHERE \(filter)", as: String.self))
      }, in: db
    ).documents
    let found = try list("id IN \(list: ids)", "id", limit: limit, in: db)
    let byID = Dictionary(found.map { ($0.id.rawValue, $0) }) { first, _ in first }
    return ids.compactMap { byID[$0] }
  }

  static func all(of host: UserID, in db: any Connection) throws -> [StoredLivestream] {
    try list("host_id = \(host)", "starts_at, id", limit: .max, in: db)
  }

  /// The live streams at which the collector looks now.
  static func due(at now: Timestamp, limit: Int, in db: any Connection) throws -> [StoredLivestream] {
    try list("collect_at <= \(now)", "collect_at, id", limit: limit, in: db)
  }

  /// The number of a user's live streams that are not over.
  static func openCount(of host: UserID, in db: any Connection) throws -> Int {
    try db.count(
      "SELECT COUNT(*) FROM livestreams WHERE host_id = \(host) AND state IN ('creating', 'scheduled', 'live')")
  }

  /// How many wait for Zoom's first answer: of a user of Zoom, or of all.
  static func waitingCount(of zoomUser: String? = nil, in db: any Connection) throws -> Int {
    let condition = SQL.and(
      "meeting = 'none' AND provider = 'zoom' AND state = 'creating'", zoomUser.map { "zoom_user = \($0)" })
    return try db.count("SELECT COUNT(*) FROM livestreams WHERE \(condition)")
  }

  private static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws
    -> [StoredLivestream]
  {
    try db.all(
      """
      SELECT id, host_id, provider, state, failure, visibility, title, tags, workout_type, content, starts_at, minutes,
        collect_at, meeting, zoom_user, attempted_at, meeting_id, zoom_event_at, created_at, version
      FROM livestreams WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      let (id, host): (LivestreamID, UserID?) = (try row["id"], try row["host_id"])
      let (provider, state): (LivestreamProvider, LivestreamState) = (try row["provider"], try row["state"])
      let failure: LivestreamFailure? = try row["failure"]
      let (visibility, title): (LivestreamVisibility, String) = (try row["visibility"], try row["title"])
      let (tags, type): ([Tag], WorkoutTypeID?) = (try row[words: "tags"], try row["workout_type"])
      let minutes: Int = try row["minutes"]
      return StoredLivestream(
        id: id, host: host, provider: provider, state: state, failure: failure, visibility: visibility, title: title,
        tags: tags, workoutType: type, sealed: try row["content"], startsAt: try row["starts_at"],
        minutes: LivestreamMinutes(checked: minutes), collectAt: try row["collect_at"], meeting: try row["meeting"],
        zoomUser: try row["zoom_user"], attemptedAt: try row["attempted_at"], meetingID: try row["meeting_id"],
        zoomEventAt: try row["zoom_event_at"], createdAt: try row["created_at"], version: try row["version"])
    }
  }

  // MARK: writing

  static func insert(_ row: StoredLivestream, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO livestreams
        (id, host_id, provider, state, visibility, title, tags, workout_type, content, starts_at, minutes, is_listed,
         collect_at, meeting, zoom_user, created_at, version)
      VALUES (\(row.id), \(row.host), \(row.provider), \(row.state), \(row.visibility), \(row.title),
              \(words: row.tags), \(row.workoutType), \(row.sealed), \(row.startsAt), \(row.minutes.value),
              \(row.isListed), \(row.collectAt), \(row.meeting), \(row.zoomUser), \(row.createdAt), \(row.version))
      """
    )
    for tag in Set(row.tags) {
      try tx.execute("INSERT INTO livestream_tags (tag, livestream_id) VALUES (\(tag), \(row.id))")
    }
    try updateIndex(of: row, in: tx)
  }

  /// Writes what can change, with the next version.
  static func update(_ row: inout StoredLivestream, in tx: Transaction) throws {
    row.version += 1
    try tx.execute(
      """
      UPDATE livestreams SET state = \(row.state), failure = \(row.failure), content = \(row.sealed),
        is_listed = \(row.isListed), collect_at = \(row.collectAt), meeting = \(row.meeting),
        zoom_user = \(row.zoomUser), attempted_at = \(row.attemptedAt), meeting_id = \(row.meetingID),
        zoom_event_at = \(row.zoomEventAt), version = \(row.version)
      WHERE id = \(row.id)
      """
    )
    try updateIndex(of: row, in: tx)
  }

  /// Searches find what is listed.
  private static func updateIndex(of row: StoredLivestream, in tx: Transaction) throws {
    guard row.isListed else { return try index.remove(row.id.rawValue, in: tx) }
    let words = row.tags.map(\.rawValue) + [row.workoutType?.rawValue ?? ""]
    var values = row.tags.map { "tag:\($0.rawValue)" } + ["state:\(row.state.rawValue)"]
    if let host = row.host { values.append("host:\(host)") }
    if let type = row.workoutType { values.append("workout:\(type.rawValue)") }
    try index.put(TextDocument(row.id.rawValue, [row.title, words.joined(separator: " ")], values: values), in: tx)
  }

  static func delete(_ id: LivestreamID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM livestreams WHERE id = \(id)")
    try tx.execute("DELETE FROM livestream_tags WHERE livestream_id = \(id)")
    try index.remove(id.rawValue, in: tx)
  }

  /// Removes the host and what the host wrote; what is left says which meeting has to be removed.
  func eraseHost(of row: inout StoredLivestream, in tx: Transaction) throws {
    (row.host, row.sealed) = (nil, try seal(Content(), of: row.id))
    try tx.execute(
      """
      UPDATE livestreams SET host_id = NULL, title = '', tags = '', workout_type = NULL, content = \(row.sealed)
      WHERE id = \(row.id)
      """
    )
    try tx.execute("DELETE FROM livestream_tags WHERE livestream_id = \(row.id)")
  }
}
