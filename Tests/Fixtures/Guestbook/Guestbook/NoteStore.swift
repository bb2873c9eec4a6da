import Contracts
import Persistence

/// The table `notes`.
enum NoteStore {
  static func insert(_ note: Note, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO notes (id, author_id, text, created_at)
      VALUES (\(note.id), \(note.authorID), \(note.text), \(note.createdAt))
      """
    )
  }

  static func list(after: NoteID?, limit: Int, in db: any Connection) throws -> [Note] {
    try db.all(
      """
      SELECT id, author_id, text, created_at FROM notes WHERE \(SQL.and(after.map { "id < \($0)" }))
      ORDER BY id DESC LIMIT \(limit)
      """,
      read
    )
  }

  static func all(of author: UserID, in db: any Connection) throws -> [Note] {
    try db.all("SELECT id, author_id, text, created_at FROM notes WHERE author_id = \(author) ORDER BY id", read)
  }

  static func delete(of author: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM notes WHERE author_id = \(author)")
  }

  private static func read(_ row: Row) throws -> Note {
    Note(
      id: try row["id"], authorID: try row["author_id"], text: try row["text"], createdAt: try row["created_at"]
    )
  }
}
