import Contracts
import Logging
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// Live workouts at Zoom or at any other provider.
struct Livestreams: Feature {
  static let previewKind = "livestream"

  /// Open live streams of a user.
  static let maxOpen = 20
  /// The maximum number of all users' live streams that wait for Zoom.
  private static let maxWaiting = 500
  private static let maxTags = 10
  private static let creationRate = RateLimit(10, per: 3600, pause: .untilOneIsForgotten)
  /// The limit at Zoom, where all users share what the account may create on a day.
  private static let zoomRate = RateLimit(10, per: 86_400, pause: .untilOneIsForgotten)
  /// How long an account is new.
  private static let newSeconds = 7 * 86_400.0
  private static let startRate = RateLimit(10, per: 60, pause: .untilOneIsForgotten)
  /// How far ahead, and how far in the past, a start may be.
  private static let (aheadSeconds, lateSeconds) = (180 * 86_400.0, 300.0)
  /// A job ends by itself when the planned time of its live stream is over.
  private static let maxAttempts = 1_000_000

  private let core: MediaCore
  private let names: PublicNames
  private let list: LivestreamList
  private let transitions: LivestreamTransitions
  private let zoomUsers: [String]
  /// Live streams at Zoom of all users whose accounts are new, and may have been made to take those of a day: at most
  /// half of them, as this many are forgotten within the day.
  private let newcomerRate: RateLimit
  /// `nil` when Zoom is not configured.
  let workflow: MeetingWorkflow?
  private let jobs: DurableJobs<MeetingWorkflow.Work>?
  private let collector: LivestreamCollector
  let webhooks: ZoomWebhooks

  init(_ core: MediaCore) throws {
    self.core = core
    let settings = core.environment.settings
    names = PublicNames(core.environment)
    list = LivestreamList(database: core.database, relations: HostRelations(core.environment))
    let transitions = LivestreamTransitions(
      store: LivestreamStore(keys: core.environment.dataKeys), database: core.database,
      jobs: PendingJobs(MeetingWorkflow.jobKind, core.environment),
      graceSeconds: Double(try settings[LivestreamSettings.graceHours]) * 3600)
    self.transitions = transitions
    zoomUsers = try settings[LivestreamSettings.users]
    newcomerRate = RateLimit(
      zoomUsers.count * ZoomRequestStore.dailyLimit / 4, per: 86_400, pause: .untilOneIsForgotten)
    let workflow = try ZoomClient.configured(core).map { zoom, pace in
      MeetingWorkflow(
        zoom: zoom, pace: pace, transitions: transitions, database: core.database, time: core.time,
        logger: core.logger)
    }
    self.workflow = workflow
    jobs = try workflow.map { workflow in
      try DurableJobs(
        MeetingWorkflow.jobKind, core.environment, concurrency: 4, attempts: Self.maxAttempts
      ) { work, _ in try await workflow.run(work.livestream) }
    }
    collector = LivestreamCollector(core, transitions: transitions, workflow: workflow)
    webhooks = ZoomWebhooks(
      core, secret: try settings[LivestreamSettings.webhookSecret], transitions: transitions)
    if workflow == nil {
      core.logger.notice("Zoom is not configured: live streams need a link of another provider")
    }
  }

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.ListLivestreams.self) { request, call in
      let found = try await list.page(request, for: call.user.id)
      return Page(items: try await view(found.rows), nextCursor: found.nextCursor)
    }
    routes.on(MediaAPI.CreateLivestream.self) { request, call in try await create(request, call) }
    routes.on(MediaAPI.ListLivestreamProviders.self) { _, _ in
      LivestreamProviders(providers: workflow == nil ? [.link] : [.zoom, .link])
    }
    routes.on(MediaAPI.GetLivestream.self) { request, call in
      try await view(list.get(request.id, for: call.user.id))
    }
    routes.on(MediaAPI.StartLivestream.self) { request, call in try await start(request.id, by: call.user.id) }
    routes.on(MediaAPI.EndLivestream.self) { request, call in try await end(request.id, by: call.user.id) }
    webhooks.register(in: &routes)
    routes.previews(Self.previewKind) { id in
      let row = try await core.database.read { db in try LivestreamStore.find(id, in: db) }
      guard let row, row.visibility == .everyone, row.isListed else { return nil }
      return try transitions.store.open(row).map { livestream in
        LinkPreview(
          type: .video, title: livestream.title.rawValue, description: livestream.description?.rawValue)
      }
    }
  }

  var workers: [any Service] {
    var workers: [any Service] = [collector.worker]
    if let jobs { workers.append(jobs) }
    return workers
  }

  // MARK: requests

  private func create(_ request: MediaAPI.CreateLivestream, _ call: Call) async throws -> Livestream {
    let host = try call.user
    guard !host.roles.contains(.guest) else {
      throw Problem(.forbidden, detail: "Guests must sign up to create live streams.")
    }
    let tags = Array(Set(request.tags ?? [])).sorted { $0.rawValue < $1.rawValue }
    guard tags.count <= Self.maxTags else { throw Self.invalid("tags", "may have at most \(Self.maxTags) items") }
    guard request.joinURL != nil || workflow != nil else { throw Problem(.zoomNotConfigured) }
    let row = try await core.database.write { tx in
      let id = try tx.idempotent(call.idempotencyKey) {
        let row = try newRow(request, tags, of: host.id, in: tx)
        try transitions.insert(row, in: tx)
        return row.id
      }
      guard let row = try LivestreamStore.find(id, in: tx) else { throw Problem(.livestreamNotFound) }
      return row
    }
    return try await view(row)
  }

  private func newRow(_ request: MediaAPI.CreateLivestream, _ tags: [Tag], of host: UserID, in tx: Transaction) throws
    -> StoredLivestream
  {
    let startsAt = request.startsAt ?? tx.now
    let ahead = startsAt.seconds(since: tx.now)
    guard ahead >= -Self.lateSeconds, ahead <= Self.aheadSeconds else {
      throw Self.invalid("startsAt", "must be from now to 180 days ahead")
    }
    let keys = core.environment.dataKeys
    try StoredLimit(Self.creationRate, of: host.rawValue, for: "livestreams", keys).require(in: tx)
    guard try LivestreamStore.openCount(of: host, in: tx) < Self.maxOpen else {
      throw Problem(.tooManyLivestreams, detail: "A user can have \(Self.maxOpen) open live streams.")
    }
    var zoomUser: String?
    if request.joinURL == nil {
      zoomUser = try self.zoomUser(in: tx)
      try StoredLimit(Self.zoomRate, of: host.rawValue, for: "zoom-livestreams", keys).require(
        in: tx, detail: "A user can create \(Self.zoomRate.count) live streams at Zoom a day.")
      if Self.isNew(host, at: tx.now) {
        try StoredLimit(newcomerRate, of: "all", for: "zoom-livestreams-of-newcomers", keys).require(
          in: tx, detail: "Too many live streams at Zoom are created by users who have signed up this week.")
      }
    }
    let id: LivestreamID = core.ids.make()
    let minutes = request.minutes ?? LivestreamMinutes(checked: 60)
    let content = LivestreamStore.Content(description: request.description, joinURL: request.joinURL)
    let end = startsAt.advanced(bySeconds: Double(minutes.value) * 60)
    return StoredLivestream(
      id: id, host: host, provider: zoomUser == nil ? .link : .zoom, state: zoomUser == nil ? .scheduled : .creating,
      failure: nil, visibility: request.visibility ?? .everyone, title: request.title.rawValue, tags: tags,
      workoutType: request.workoutType, sealed: try transitions.store.seal(content, of: id), startsAt: startsAt,
      minutes: minutes, collectAt: transitions.collection(endingAt: end), meeting: .none, zoomUser: zoomUser,
      createdAt: tx.now, version: 1)
  }

  /// Ids begin with the time at which they were made.
  private static func isNew(_ user: UserID, at now: Timestamp) -> Bool {
    user.rawValue > UUIDv7.text(at: now.advanced(bySeconds: -newSeconds), high: 0, low: 0)
  }

  /// The user of Zoom who can create most meetings today.
  /// - Throws: ``Problem`` 503 when too many wait, 429 when no user of Zoom can create another one today.
  private func zoomUser(in tx: Transaction) throws -> String {
    guard try LivestreamStore.waitingCount(in: tx) < Self.maxWaiting else {
      throw Problem(.overloaded, detail: "Too many live streams are being created.", retryAfter: 30)
    }
    let counts = try zoomUsers.map { user in
      let waiting = try LivestreamStore.waitingCount(of: user, in: tx)
      return (user: user, count: try ZoomRequestStore.count(of: user, at: tx.now, in: tx) + waiting)
    }
    guard let best = counts.min(by: { $0.count < $1.count }), best.count < ZoomRequestStore.dailyLimit else {
      throw Problem(
        .tooManyRequests, detail: "No more live streams can be created at Zoom today.",
        retryAfter: ZoomRequestStore.secondsLeft(of: tx.now))
    }
    return best.user
  }

  private func start(_ id: LivestreamID, by user: UserID) async throws -> LivestreamStart {
    let row = try await core.database.write { tx in
      var row = try Self.own(id, of: user, in: tx)
      guard row.isListed else { throw Problem(.livestreamNotOpen) }
      try StoredLimit(Self.startRate, of: user.rawValue, for: "livestream-start", core.environment.dataKeys)
        .require(in: tx)
      if row.provider == .link { try transitions.start(&row, in: tx) }
      return row
    }
    guard row.provider == .zoom else {
      guard let link = try transitions.store.content(row).joinURL else { throw Problem(.livestreamNotOpen) }
      return LivestreamStart(startURL: link.rawValue)
    }
    guard let workflow else { throw Problem(.zoomNotConfigured) }
    guard let meeting = row.meetingID else { throw Problem(.livestreamNotOpen) }
    let found: ZoomMeeting
    do throws(ZoomError) { found = try await workflow.zoom.get(meeting) } catch {
      core.logger.warning("cannot get a meeting", metadata: ["livestream": "\(id)", "error": "\(error)"])
      throw error.problem
    }
    guard let url = found.startURL else { throw Problem(.upstreamFailed) }
    return LivestreamStart(startURL: url)
  }

  private func end(_ id: LivestreamID, by user: UserID) async throws -> Livestream {
    let row = try await core.database.write { tx in
      var row = try Self.own(id, of: user, in: tx)
      try transitions.end(&row, in: tx)
      return row
    }
    return try await view(row)
  }

  private static func own(_ id: LivestreamID, of user: UserID, in tx: Transaction) throws -> StoredLivestream {
    guard let row = try LivestreamStore.find(id, in: tx), row.host == user else { throw Problem(.livestreamNotFound) }
    return row
  }

  private static func invalid(_ member: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body.\(member)", message: message)])
  }

  private func view(_ rows: [StoredLivestream]) async throws -> [Livestream] {
    let names = await names.of(rows.compactMap(\.host))
    return try rows.compactMap { row in
      var livestream = try transitions.store.open(row)
      livestream?.host = row.host.flatMap { names[$0] }
      return livestream
    }
  }

  private func view(_ row: StoredLivestream) async throws -> Livestream {
    guard let livestream = try await view([row]).first else { throw Problem(.livestreamNotFound) }
    return livestream
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let own = try LivestreamStore.all(of: user, in: db).compactMap { try transitions.store.open($0) }
    return [("livestreams", try JSONValue(own))]
  }

  /// Meetings are removed at Zoom afterward, by what is left of the rows.
  func erase(_ user: UserID, in tx: Transaction) throws {
    for var row in try LivestreamStore.all(of: user, in: tx) {
      guard row.provider == .zoom else {
        try LivestreamStore.delete(row.id, in: tx)
        continue
      }
      try transitions.store.eraseHost(of: &row, in: tx)
      try transitions.end(&row, in: tx)
    }
  }
}

extension ZoomClient {
  /// The client and its pace; `nil` when Zoom is not configured.
  /// - Throws: ``SettingError`` when it is configured in part.
  static func configured(_ core: MediaCore) throws -> (ZoomClient, ZoomPace)? {
    let settings = core.environment.settings
    let (account, client) = (try settings[LivestreamSettings.accountID], try settings[LivestreamSettings.clientID])
    let secret = try settings[LivestreamSettings.clientSecret]
    if account == nil, client == nil, secret == nil { return nil }
    guard let account else { throw SettingError(LivestreamSettings.accountID, "is not set, but others of Zoom are") }
    guard let client else { throw SettingError(LivestreamSettings.clientID, "is not set, but others of Zoom are") }
    guard let secret else { throw SettingError(LivestreamSettings.clientSecret, "is not set, but others of Zoom are") }
    let http = core.environment.http
    let tokens = ZoomTokens(
      http: http, origin: try settings[LivestreamSettings.oauthURL],
      credentials: .init(accountID: account, clientID: client, clientSecret: secret), time: core.time)
    let pace = ZoomPace(
      plan: try settings[LivestreamSettings.plan], database: core.database, keys: core.environment.dataKeys)
    let zoom = ZoomClient(
      http: http, origin: try settings[LivestreamSettings.apiURL], tokens: tokens, pace: pace, time: core.time)
    return (zoom, pace)
  }
}
