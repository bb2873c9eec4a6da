import Contracts
import HTTPServing
import HTTPTypes
import Persistence
import ServiceKit

/// Finds out for requests without a declared caller who wants to load a media item, and how much of it that is.
struct MediaLoads: Sendable {
  private let database: any Database
  private let tokens: TokenVerifier
  private let media: MediaStore
  private let access: MediaAccess
  private let links: MediaLinks
  private let time: TimeSource

  init(_ environment: ServiceEnvironment, _ media: MediaStore, _ access: MediaAccess, _ links: MediaLinks) throws {
    (database, tokens) = (try environment.database, environment.tokens)
    (self.media, self.access, self.links, time) = (media, access, links, environment.time)
  }

  struct Load: Sendable {
    var stored: StoredMedia
    var right: MediaRight
    /// Whether the owner's token was sent, not a link.
    var isByOwner: Bool

    func style(_ isAttachment: Bool = false) -> Style {
      Style(
        isPublic: right == .everything(isPublic: true) && !isByOwner, isAttachment: isAttachment, isByOwner: isByOwner)
    }
  }

  /// How a file is sent.
  struct Style: Sendable {
    var isPublic = false
    var isAttachment = false
    var isByOwner = false
  }

  /// A media item, also one that is kept for what uses it.
  /// - Throws: ``Problem`` 404.
  func find(_ id: MediaID) async throws -> StoredMedia {
    guard let stored = try await database.read({ [media] db in try media.findAny(id, in: db) }) else {
      throw Problem(.mediaNotFound)
    }
    return stored
  }

  /// The caller of an endpoint for anyone; `nil` without a token.
  /// - Throws: ``Problem`` 401 for a bad token.
  func reader(of call: Call) async throws -> MediaReader? {
    try await caller(of: call).map { MediaReader($0) }
  }

  /// The user whose token was sent; `nil` without one.
  func caller(of call: Call) async throws -> UserCaller? {
    guard let token = BearerToken.read(call.headers[values: .authorization]) else { return nil }
    return try await tokens.verify(token)
  }

  /// Records that a moderator sees what someone else does not show to everyone.
  func noteModeration(of stored: StoredMedia, by user: UserCaller, _ call: Call) async throws {
    guard MediaReader(user).isModerator, stored.media.owner != user.id, stored.media.visibility != .everyone else {
      return
    }
    let read = AuditedRead("media.viewed", object: "media:\(stored.id)")
    try await database.auditRead(read, by: call.auditActor(as: user), at: time.now())
  }

  /// A media item and how much of it the caller may load: by a link, a token, or neither.
  ///
  /// - Throws: ``Problem`` 404 for an unknown media item, 401 for a bad token, 403 for a bad link.
  func find(_ id: MediaID, _ query: LinkQuery, _ call: Call) async throws -> Load {
    let creator = try links.creator(id, query)
    let reader: MediaReader?
    var caller: UserCaller?
    if let creator {
      reader = MediaReader(link: creator)
    } else {
      caller = try await self.caller(of: call)
      reader = caller.map { MediaReader($0) }
    }
    let stored = try await find(id)
    let right = try await access.right(of: reader, to: stored)
    if let caller, right != .nothing { try await noteModeration(of: stored, by: caller, call) }
    let isByOwner = creator == nil && stored.deletedAt == nil && reader?.id == stored.media.owner
    return Load(stored: stored, right: right, isByOwner: isByOwner)
  }
}

extension MediaLoads.Style {
  /// Browsers show pictures and play sound and video; everything else is saved. Only the owner sees the name that the
  /// file had on the owner's device.
  func disposition(of file: MediaFile, of stored: StoredMedia) -> StoredContent.Disposition {
    let isOriginal = file.name == MediaFileName.original
    if isByOwner, isOriginal, let name = stored.fileName {
      return isSaved(file) ? .attachment(name: name) : .inline(name: name)
    }
    let title = stored.media.title?.rawValue ?? stored.id.rawValue
    let name = "\(title).\(MediaFileName.suffix(of: file.contentType))"
    return isSaved(file) ? .attachment(name: name) : .inline(name: name)
  }

  private func isSaved(_ file: MediaFile) -> Bool {
    let shown = ["image/", "audio/", "video/"]
    return isAttachment || !shown.contains { file.contentType.hasPrefix($0) }
  }
}
