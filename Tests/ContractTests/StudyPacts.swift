import Contracts
import TestKit

/// The requirements of study-sync and the other services on each other.
extension ServicePacts {
  static func studyAuth() throws -> Pact {
    var pact = Pact(consumer: "study-sync", provider: "auth")
    try names(&pact)
    try consent(&pact, to: .healthData)
    try pact.expect(
      "a user by name",
      given: state("study-sync"),
      AuthAPI.GetPublicNames(users: [], usernames: [Username(checked: "ada")]),
      isInternal: true,
      answers: 200,
      .object([("items", .each(.object([("id", .exactly(.string(user.rawValue))), ("displayName", .like("Ada"))])))])
    )
    let state = state("study-sync")
    try pact.delivers(PushRequested(to: user, title: "LetuStudy", text: "A set was shared with you."), given: state)
    return pact
  }

  static func authStudy() throws -> Pact {
    var pact = Pact(consumer: "auth", provider: "study-sync")
    try pact.delivers(UserDeleted(userID: seller), given: state("auth"))
    try pact.asksForPersonalData(given: state("auth"))
    return pact
  }

  static func studyGateway() throws -> Pact {
    var pact = Pact(consumer: "study-sync", provider: "gateway")
    let state = state("study-sync")
    try pact.delivers(TopicEvent(Topic("sync", user.rawValue), "changed", [:]), given: state)
    try pact.delivers(TopicAccessEnded([Topic("course", listing.rawValue)], for: user), given: state)
    return pact
  }

  static func relations(_ pact: inout Pact) throws {
    try pact.expect(
      "how users are related",
      given: state(pact.consumer),
      MatchingAPI.CheckRelations(user: user, others: UserList([seller])),
      isInternal: true,
      answers: 200,
      .object([
        (
          "items",
          .each(
            .object([
              ("userID", .exactly(.string(seller.rawValue))), ("isFollowing", .like(false)),
              ("isFollowedBy", .like(false)), ("isBlocked", .like(false)), ("isConnected", .like(false)),
            ]))
        )
      ])
    )
  }

  /// The users who may see what a user shares, and the event for those who follow it.
  static func studyMatching() throws -> Pact {
    var pact = Pact(consumer: "study-sync", provider: "matching")
    let state = state("study-sync")
    try relations(&pact)
    let shared = UserTopicEvent(user, .progress, "workout.shared", ["id": .string(listing.rawValue)])
    try pact.delivers(shared, given: state)
    return pact
  }

  static func matchingStudy() throws -> Pact {
    var pact = Pact(consumer: "matching", provider: "study-sync")
    try pact.delivers(BlockChanged(blocker: user, blocked: seller, isBlocked: true), given: state("matching"))
    return pact
  }
}
