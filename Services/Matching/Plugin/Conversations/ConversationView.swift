import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Rows of conversations with their latest messages, as they were read in one transaction.
struct ConversationRows: Sendable {
  var rows: [ConversationRow]
  var latest: [ConversationID: StoredMessage]
  var viewer: UserID

  init(_ rows: [ConversationRow], of viewer: UserID, at now: Timestamp, in db: any Connection) throws {
    (self.rows, self.viewer) = (rows, viewer)
    let ids = rows.filter { $0.lastSequence > 0 }.map(\.id)
    let messages = ids.isEmpty ? [] : try MessageStore.latest(of: ids, at: now, in: db)
    latest = Dictionary(messages.map { ($0.message.conversationID, $0) }) { first, _ in first }
  }
}

/// Shows conversations to a participant: with names, decrypted previews, and who is active.
struct ConversationView: Sendable {
  /// Unicode scalars of a text.
  static let previewLength = 200

  let core: ConversationCore

  func show(_ read: ConversationRows) async throws -> (items: [Conversation], isStale: Bool) {
    let names = await core.names.of(read.rows.compactMap(\.other?.id))
    return (try read.rows.map { try show($0, latest: read.latest[$0.id], for: read.viewer, names) }, names.isStale)
  }

  /// One conversation, as it is now.
  func get(_ id: ConversationID, for user: UserID) async throws -> Conversation {
    let now = core.time.now()
    let read = try await core.database.read { db in
      try ConversationRows([ConversationRow.get(id, of: user, in: db)], of: user, at: now, in: db)
    }
    guard let conversation = try await show(read).items.first else { throw Problem(.conversationNotFound) }
    return conversation
  }

  private func show(_ row: ConversationRow, latest: StoredMessage?, for viewer: UserID, _ names: PublicNames.Found)
    throws -> Conversation
  {
    var preview = try latest.map { try core.messages.open($0, for: viewer) }
    if let text = preview?.text { preview?.text = Self.beginning(of: text) }
    let participants = row.other.map { other in
      Conversation.Participant(
        userID: other.id, name: names[other.id], deliveredUpTo: row.isMutual ? other.deliveredTo : nil,
        readUpTo: row.isMutual && other.showsRead ? other.readTo : nil
      )
    }
    let isActive = row.other.map { row.isMutual && $0.showsPresence && core.activity.isActive($0.id) } ?? false
    let isPending = !row.isClosed && row.other.map { $0.folder != .inbox } ?? false
    return Conversation(
      id: row.id, folder: row.folder.folder, participants: participants.map { [$0] } ?? [], listingID: row.listing,
      lastMessage: preview, lastSequence: row.lastSequence, unreadCount: row.unread, deliveredUpTo: row.deliveredTo,
      readUpTo: row.readTo, isActive: isActive, isPending: isPending, isClosed: row.isClosed,
      lastActivityAt: row.lastAt, createdAt: row.createdAt
    )
  }

  /// Cut between characters, unless the first one alone is too long.
  static func beginning(of text: String) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: previewLength, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    var boundary = text.startIndex
    while boundary < end, text.index(after: boundary) <= end { boundary = text.index(after: boundary) }
    return String(scalars[..<(boundary > text.startIndex ? boundary : end)])
  }
}
