import Contracts
import Persistence
import ServiceKit

/// Messages to the owner, with their answers; the content is encrypted.
struct ContactMessageStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("contact_messages", "content")

  fileprivate struct Content: Codable {
    var form: CatalogAPI.SendContactMessage
    var answer: ContactMessage.Answer?
  }

  // MARK: reading

  func get(_ id: ContactMessageID, in db: any Connection) throws -> ContactMessage {
    let message = try db.first("SELECT \(Self.columns) FROM contact_messages WHERE id = \(id)", decode)
    guard let message else { throw Problem(.contactMessageNotFound) }
    return message
  }

  func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [ContactMessage] {
    try db.all(
      "SELECT \(Self.columns) FROM contact_messages WHERE \(condition) ORDER BY id DESC LIMIT \(limit)",
      decode
    )
  }

  private static let columns: SQL = "id, state, content, received_at, version"

  private func decode(_ row: Row) throws -> ContactMessage {
    let id: ContactMessageID = try row["id"]
    let bytes = try keys.open(try row["content"], in: Self.contentColumn, row: id.rawValue)
    let content = try WireJSON.decode(Content.self, from: bytes)
    return ContactMessage(
      id: id, state: try row["state"],
      firstName: content.form.firstName, lastName: content.form.lastName, email: content.form.email,
      subject: content.form.subject, message: content.form.message, answer: content.answer,
      receivedAt: try row["received_at"], version: try row["version"]
    )
  }

  // MARK: writing

  func insert(_ form: CatalogAPI.SendContactMessage, id: ContactMessageID, in tx: Transaction) throws {
    let sealed = try seal(Content(form: form, answer: nil), of: id)
    try tx.execute(
      """
      INSERT INTO contact_messages (id, state, content, received_at, version)
      VALUES (\(id), \(ContactMessage.State.open), \(sealed), \(tx.now), 1)
      """
    )
  }

  func update(_ message: ContactMessage, in tx: Transaction) throws {
    let sealed = try seal(Content(message), of: message.id)
    try tx.execute(
      """
      UPDATE contact_messages SET state = \(message.state), content = \(sealed), version = \(message.version)
      WHERE id = \(message.id)
      """
    )
  }

  /// - Returns: `false` when there is no such message.
  func delete(_ id: ContactMessageID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM contact_messages WHERE id = \(id)") > 0
  }

  private func seal(_ content: Content, of id: ContactMessageID) throws -> String {
    try keys.seal(WireJSON.encode(content), in: Self.contentColumn, row: id.rawValue)
  }
}

extension ContactMessageStore.Content {
  fileprivate init(_ message: ContactMessage) {
    form = .init(
      firstName: message.firstName, lastName: message.lastName, email: message.email,
      subject: message.subject, message: message.message
    )
    answer = message.answer
  }
}
