import Contracts
import TestKit

/// The requirements of media-index and the other services on each other.
extension ServicePacts {
  private static let unknown = MediaID(trusted: "01890a5d-ac96-774b-bcce-b302099a800c")

  // MARK: media-index as the provider

  /// The routes of the gateway, who may follow a media item, and what a link to one shows.
  static func gatewayMedia() throws -> Pact {
    var pact = try fronted(
      MediaAPI.name, "/v1/media/{id}", ["media"], follows: Topic("media", picture.rawValue), isAllowed: true)
    try pact.expect(
      "what a link shows",
      given: state("gateway"),
      LinkPreviewsAPI.Get(kind: LinkKind(checked: "media"), id: LinkID(trusted: picture.rawValue)),
      isInternal: true,
      answers: 200,
      .object([
        ("type", .exactly("website")), ("title", .like("Notes")), ("picture", .exactly(.string(picture.rawValue))),
        ("isIndexed", .like(false)),
      ])
    )
    try pact.expect(
      "what a link to nothing shows",
      given: state("gateway"),
      LinkPreviewsAPI.Get(kind: LinkKind(checked: "media"), id: LinkID(trusted: unknown.rawValue)),
      isInternal: true,
      answers: 404,
      as: problem,
      .object([("status", .exactly(404))])
    )
    return pact
  }

  /// Media are checked before an object stores their ids; then their uses are reported.
  private static func uses(by service: String, in object: Topic, _ uses: [MediaUse]) throws -> Pact {
    var pact = Pact(consumer: service, provider: MediaAPI.name)
    let state = state(service)
    try pact.expect(
      "a user's media",
      given: state,
      MediaAPI.CheckMedia(user: user, object: object, media: [picture]),
      isInternal: true,
      answers: 200,
      .object([
        (
          "items",
          .each(
            .object([
              ("id", .exactly(.string(picture.rawValue))), ("kind", .exactly("image")), ("state", .exactly("ready")),
            ]))
        )
      ])
    )
    try pact.expect(
      "media of someone else",
      given: state,
      MediaAPI.CheckMedia(user: seller, object: object, media: [picture]),
      isInternal: true,
      answers: 200,
      .object([("items", .exactly([]))])
    )
    try pact.delivers(MediaReferencesChanged(object, uses, sequence: 2), given: state)
    return pact
  }

  static func authMedia() throws -> Pact {
    var pact = try uses(by: "auth", in: Topic("user", user.rawValue), [MediaUse(picture, .readers)])
    try pact.delivers(UserDeleted(userID: seller), given: state("auth"))
    try pact.asksForPersonalData(given: state("auth"))
    return pact
  }

  static func catalogMedia() throws -> Pact {
    try uses(
      by: "catalog", in: Topic("listing", listing.rawValue),
      [MediaUse(picture, .public), MediaUse(recording, .preview)])
  }

  /// Ordered and licensed recordings are kept.
  static func ordersMedia() throws -> Pact {
    try uses(by: "orders", in: Topic("recording", recording.rawValue), [MediaUse(recording, .licensed)])
  }

  static func matchingMedia() throws -> Pact {
    let use = MediaUse(picture, .readers, of: Topic("conversation", listing.rawValue))
    var pact = try uses(by: "matching", in: Topic("message", listing.rawValue), [use])
    try pact.delivers(BlockChanged(blocker: user, blocked: seller, isBlocked: true), given: state("matching"))
    return pact
  }

  /// The text of which drafts of cards are made.
  static func studyMedia() throws -> Pact {
    let use = MediaUse(picture, .readers, of: Topic("set", listing.rawValue), claimedBy: user)
    var pact = try uses(by: "study-sync", in: Topic("card", listing.rawValue), [use])
    let state = state("study-sync")
    let limit = PageSize(checked: 50)
    try pact.expect(
      "the scanned pages of a media item",
      given: state,
      MediaAPI.ListScannedPagesOfUser(id: picture, user: user, limit: limit),
      isInternal: true,
      answers: 200,
      .object([
        ("items", .each(.object([("page", .integer(1)), ("text", .like("aqua")), ("confidence", .integer(93))])))
      ])
    )
    try pact.expect(
      "the scanned pages of someone else's media item",
      given: state,
      MediaAPI.ListScannedPagesOfUser(id: picture, user: seller, limit: limit),
      isInternal: true,
      answers: 404,
      as: problem,
      .object([("code", .exactly("media-not-found")), ("status", .exactly(404))])
    )
    return pact
  }

  // MARK: media-index as the consumer

  static func mediaGateway() throws -> Pact {
    var pact = Pact(consumer: MediaAPI.name, provider: "gateway")
    let (state, topic) = (state(MediaAPI.name), Topic("media", picture.rawValue))
    let change: JSONValue = ["media": .string(picture.rawValue), "version": 2, "state": "ready"]
    try pact.delivers(TopicEvent(topic, "media.changed", change, alsoTo: [user]), given: state)
    try pact.delivers(TopicAccessEnded([topic], for: nil), given: state)
    let livestream: JSONValue = ["id": .string(listing.rawValue), "state": "live", "version": 3]
    try pact.delivers(RealtimeEvent(to: user, "livestream.changed", livestream), given: state)
    return pact
  }

  /// The names of those who hold live workouts, and who may see a profile with its photo.
  static func mediaAuth() throws -> Pact {
    var pact = try readers(of: "auth", Topic("user", listing.rawValue), isAllowed: false)
    try names(&pact)
    return pact
  }

  /// Whether a user may load what is used in an object.
  private static func readers(of service: String, _ topic: Topic, isAllowed: Bool) throws -> Pact {
    var pact = Pact(consumer: MediaAPI.name, provider: service)
    try pact.expect(
      "who may load what an object uses",
      given: state(MediaAPI.name),
      ReadersAPI.Authorize(user: user, roles: [.user], objects: [topic]),
      isInternal: true,
      answers: 200,
      .object([("objects", isAllowed ? .each(.exactly(.string(topic.rawValue))) : .exactly([]))])
    )
    return pact
  }

  static func mediaCatalog() throws -> Pact {
    try readers(of: "catalog", Topic("listing", listing.rawValue), isAllowed: true)
  }

  static func mediaStudy() throws -> Pact {
    try readers(of: "study-sync", Topic("course", listing.rawValue), isAllowed: false)
  }

  /// The files that a buyer may load.
  static func mediaOrders() throws -> Pact {
    var pact = Pact(consumer: MediaAPI.name, provider: "orders")
    try pact.expect(
      "the files that a user has licensed",
      given: state(MediaAPI.name),
      OrdersAPI.GetLicensedFiles(user: user, audio: recording, seller: seller),
      isInternal: true,
      answers: 200,
      .object([("files", .exactly(["mp3"]))])
    )
    return pact
  }

  static func mediaMatching() throws -> Pact {
    var pact = try readers(
      of: "matching", Topic("conversation", "01890a5d-ac96-774b-bcce-b302099a8005"), isAllowed: false)
    let state = state(MediaAPI.name)
    try relations(&pact)
    let content: JSONValue = ["id": .string(listing.rawValue), "title": "Yoga"]
    try pact.delivers(UserTopicEvent(user, .streams, "livestream.started", content), given: state)
    return pact
  }
}
