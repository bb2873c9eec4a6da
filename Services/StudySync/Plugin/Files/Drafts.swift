import Contracts
import Logging
import Persistence
import ServiceKit
import StudyFiles
import SyncMerge

/// Drafts of cards for texts, which the user confirms by adding cards.
struct Drafts: Feature {
  private static let maxPages = 50

  private let core: StudyCore
  private let threads: FileThreads
  private let media: APIClient

  init(_ core: StudyCore, _ threads: FileThreads) {
    (self.core, self.threads) = (core, threads)
    media = core.environment.client(of: MediaAPI.self)
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.DraftCards.self) { request, call in try await draft(request, call.user) }
  }

  /// A text and where it is from.
  private struct Source: Sendable {
    var text: String
    var page: Int?
    var confidence: Int?
  }

  private func draft(_ request: StudyAPI.DraftCards, _ user: UserCaller) async throws -> CardDraftList {
    try await core.database.read { db in
      guard try SetReader.get(request.id, for: user.id, in: db).role >= .editor else { throw Problem(.forbidden) }
    }
    var sources: [Source]
    var nextPage: Int?
    switch (request.media, request.text) {
    case (let media?, nil): (sources, nextPage) = try await pages(of: media, from: request.firstPage ?? 1, for: user.id)
    case (nil, let text?): sources = [Source(text: text.rawValue)]
    default:
      throw Problem(
        .invalidRequest, errors: [.init(location: "body.media", message: "is required, or else text")])
    }
    let rule = request.rule.flatMap { DraftRule(rawValue: $0.rawValue) }
    return try await threads.withFile(of: user) { [sources, nextPage] in
      try await threads.run { Self.drafts(of: sources, by: rule, nextPage) }
    }
  }

  private static func drafts(of sources: [Source], by rule: DraftRule?, _ nextPage: Int?) -> CardDraftList {
    var list = CardDraftList(drafts: [], rules: [], nextPage: nextPage)
    for source in sources {
      let (drafts, rule) = CardDrafts.make(of: source.text, by: rule)
      guard !drafts.isEmpty, let pattern = DraftPattern(rawValue: rule.rawValue) else { continue }
      list.rules.append(pattern)
      list.drafts += drafts.map {
        CardDraftView(
          front: $0.front, back: $0.back, page: source.page, line: $0.line, confidence: source.confidence)
      }
    }
    return list
  }

  /// The text of a scanned media item.
  ///
  /// - Throws: ``Problem`` 404 and 409 from media-index, 503 when it does not respond.
  private func pages(of id: MediaID, from first: Int, for user: UserID) async throws -> ([Source], next: Int?) {
    guard (1...10_000).contains(first) else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.firstPage", message: "must be from 1 to 10000")])
    }
    do {
      let page = try await media.send(
        MediaAPI.ListScannedPagesOfUser(
          id: id, user: user, limit: PageSize(checked: Self.maxPages), cursor: first > 1 ? "\(first - 1)" : nil))
      let sources = page.items.map { Source(text: $0.text, page: $0.page, confidence: $0.confidence) }
      return (sources, page.nextCursor.flatMap { Int($0) }.map { $0 + 1 })
    } catch {
      let expected = [Problem.Kind.mediaNotFound, .scanNotFound, .mediaNotReady]
      if case .problem(let problem) = error, expected.contains(where: problem.is) { throw problem }
      core.logger.warning("a scan could not be read", metadata: ["error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }
}
