import Contracts
import Persistence
import ServiceKit

/// Lists, searches and counts media. Filters, and who may see what, are part of the search.
struct MediaSearch: Feature {
  let core: MediaCore

  /// Ranked matches that can be reached page by page.
  private static let maxRanked = 1000
  /// Matches that are sorted; of more, a list in the wanted order has some in every part.
  private static let maxSorted = 4000
  /// Rows of such a list that are read at once, and in total for a page, which may be shorter then.
  private static let (step, maxSteps) = (256, 40)

  private typealias Position = SortKeyStore.Position

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.ListMedia.self) { request, call in try await list(request, call) }
    routes.on(MediaAPI.CountMedia.self) { request, call in try await count(request, call) }
  }

  /// A part of a list, and the position after which it continues.
  private struct Part {
    var ids: [MediaID]
    var next: Position?
  }

  private func list(_ request: MediaAPI.ListMedia, _ call: Call) async throws -> Page<Media> {
    let page = try request.page(by: SealedPositions.Cursor.self)
    let caller = try await core.loads.caller(of: call)
    let reader = caller.map { MediaReader($0) }
    let staff = reader?.isModerator == true ? caller.map { call.auditActor(as: $0) } : nil
    let query = try await MediaAudience(core: core).limiting(
      TextQuery(request.query, where: request.values), to: reader)
    let sort = request.sort ?? (request.query == nil ? .newest : .relevance)
    let positions = SealedPositions(keys: core.environment.dataKeys, sort: sort)
    let after = try page.after.map { try positions.open($0) }
    return try await core.database.readAudited(by: staff) { [core] db in
      let found =
        try sort == .relevance
        ? Self.ranked(query, after, page.limit, in: db) : Self.sorted(query, sort, after, page.limit, in: db)
      let media = try core.media.list(found.ids, in: db).map {
        $0.shown(to: reader?.id, with: .everything(isPublic: false))
      }
      let byID = Dictionary(media.map { ($0.id, $0) }) { first, _ in first }
      return Page(items: found.ids.compactMap { byID[$0] }, nextCursor: try found.next.map { try positions.seal($0) })
    } as: { page in
      let hidden = page.items.filter { $0.owner != reader?.id && $0.visibility != .everyone }
      return hidden.isEmpty
        ? nil : AuditedRead("media-list.viewed", object: "media", viewed: hidden.map { "media:\($0.id)" })
    }
  }

  private static func ranked(_ query: TextQuery, _ after: Position?, _ limit: Int, in db: any Connection) throws -> Part
  {
    let offset = try after.map { position in
      guard let offset = Int(position.key), (0...maxRanked).contains(offset) else { throw SealedPositions.invalid }
      return offset
    }
    let start = offset ?? 0
    let found = try MediaSearchIndex.text.search(query, limit: limit, offset: start, in: db)
    let ids = found.documents.map { MediaID(trusted: $0) }
    let next = start + limit
    let hasNext = found.hasMore && next <= maxRanked
    return Part(ids: ids, next: hasNext ? ids.last.map { Position(key: String(next), id: $0) } : nil)
  }

  private static func sorted(
    _ query: TextQuery, _ sort: MediaSort, _ after: Position?, _ limit: Int, in db: any Connection
  ) throws -> Part {
    let matches = try MediaSearchIndex.text.matches(query, in: db)
    func positions(after: Position?, among ids: [String]?, limit: Int) throws -> [Position] {
      guard let positions = try SortKeyStore.list(sort, after: after, among: ids, limit: limit, in: db) else {
        throw SealedPositions.invalid
      }
      return positions
    }
    func part(_ found: [Position]) -> Part {
      let page = found.prefix(limit)
      return Part(ids: page.map(\.id), next: found.count > limit ? page.last : nil)
    }
    if matches.count <= maxSorted {
      return part(try positions(after: after, among: matches.documents(in: db), limit: limit + 1))
    }
    var (found, last): ([Position], Position?) = ([], after)
    for _ in 0..<maxSteps {
      let rows = try positions(after: last, among: nil, limit: step)
      let matching = try matches.filter(rows.map(\.id.rawValue), in: db)
      found += rows.filter { matching.contains($0.id.rawValue) }
      if found.count > limit || rows.count < step { return part(found) }
      last = rows.last
    }
    return Part(ids: found.map(\.id), next: last)
  }

  // MARK: counts

  private static let countedPerGroup = 50

  private func count(_ request: MediaAPI.CountMedia, _ call: Call) async throws -> MediaCounts {
    let query = try await MediaAudience(core: core).limiting(
      TextQuery(request.query, where: request.values), to: core.loads.reader(of: call))
    typealias Value = MediaSearchIndex.Value
    let counts = try await core.database.read { db in
      try MediaSearchIndex.text.counts(
        of: [Value.kinds, Value.tags, Value.workoutTypes, Value.productTypes], query, in: db)
    }
    func group(_ beginning: String) -> [MediaCounts.Count] {
      let values = counts.filter { $0.key.hasPrefix(beginning) && $0.value > 0 }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .prefix(Self.countedPerGroup)
      return values.map { .init(value: String($0.key.dropFirst(beginning.count)), count: $0.value) }
    }
    return MediaCounts(
      kinds: group(Value.kinds), tags: group(Value.tags), workoutTypes: group(Value.workoutTypes),
      productTypes: group(Value.productTypes))
  }
}

extension MediaAPI.ListMedia {
  fileprivate var values: TextFilter { .media(kind, tag, owner, workoutType, productType) }
}

extension MediaAPI.CountMedia {
  fileprivate var values: TextFilter { .media(kind, tag, owner, workoutType, productType) }
}

extension TextFilter {
  fileprivate static func media(
    _ kind: MediaKind?, _ tag: Tag?, _ owner: UserID?, _ workoutType: WorkoutTypeID?, _ productType: Slug?
  ) -> Self {
    typealias Value = MediaSearchIndex.Value
    return .given(
      kind.map { "\(Value.kinds)\($0.rawValue)" }, tag.map { "\(Value.tags)\($0.rawValue)" },
      owner.map { Value.owner($0) }, workoutType.map { "\(Value.workoutTypes)\($0.rawValue)" },
      productType.map { "\(Value.productTypes)\($0.rawValue)" })
  }
}
