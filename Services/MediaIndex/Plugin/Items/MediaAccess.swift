import Contracts
import Logging
import Persistence
import PlatformRules
import ServiceKit

/// Decides how much of a media item a caller may load: by its owner and visibility, and by what it is used in.
struct MediaAccess: Sendable {
  private let database: any Database
  private let questions: AccessQuestions

  /// How many objects are asked about, of those whose readers may load the media item.
  private static let maxObjects = 4 * Topic.maxPerStream

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    questions = AccessQuestions(environment)
  }

  private struct Uses: Sendable {
    var kinds: Set<MediaAccessKind>
    var audiences: [MediaAudienceObject]
    var isBlocked: Bool
  }

  /// - Parameters:
  ///   - reader: `nil` for callers who have not signed in.
  ///   - stored: A media item, which may be deleted: what it is used in keeps it.
  /// - Throws: ``Problem`` 503 when a service that decides does not respond.
  func right(of reader: MediaReader?, to stored: StoredMedia) async throws -> MediaRight {
    let media = stored.media
    let isPresent = stored.deletedAt == nil
    if isPresent, media.visibility == .everyone { return .everything(isPublic: true) }
    if isPresent, reader?.id == media.owner || reader?.isModerator == true { return .everything(isPublic: false) }
    let uses = try await uses(of: media, by: reader)
    if uses.kinds.contains(.public) { return .everything(isPublic: true) }
    guard let reader else {
      return try await questions.mayRead(uses.audiences, nil) ? .everything(isPublic: false) : .nothing
    }
    if isPresent, media.visibility == .connections, !uses.isBlocked,
      try await questions.areConnected(reader.id, media.owner)
    {
      return .everything(isPublic: false)
    }
    if try await questions.mayRead(uses.audiences, reader) { return .everything(isPublic: false) }
    guard !uses.kinds.isDisjoint(with: [.preview, .licensed]) else { return .nothing }
    let files = try await questions.licensedFiles(media.id, of: media.owner, for: reader.id)
    if !files.isEmpty { return .licensed(files) }
    return uses.kinds.contains(.preview) && !uses.isBlocked ? .preview : .nothing
  }

  private func uses(of media: Media, by reader: MediaReader?) async throws -> Uses {
    try await database.read { db in
      let kinds = try MediaReferenceStore.kinds(of: media.id, in: db)
      guard !kinds.contains(.public) else { return Uses(kinds: kinds, audiences: [], isBlocked: false) }
      return Uses(
        kinds: kinds,
        audiences: kinds.contains(.readers)
          ? try MediaReferenceStore.audiences(of: media.id, limit: Self.maxObjects, in: db) : [],
        isBlocked: try reader.map { try ReportedBlocks.exist(between: $0.id, and: media.owner, in: db) } ?? false
      )
    }
  }
}
