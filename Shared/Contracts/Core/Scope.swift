/// The permissions of a token, within the rights of its user. An operation needs the scope of its path's resource; a
/// stream needs the scope of a topic's kind.
public enum Scope: String, WireEnum {
  case account, messages, connections, follows, comments, media
  case listings, auctions, licenses, sales, cart, orders, payments, plans, posts, newsletter
  case exercises, workouts, livestreams, roommates
  case study, quizzes, courses, sync
  case administration

  /// A description of the scope for people.
  public var summary: String {
    switch self {
    case .account: "The caller's account, sessions, settings, blocks and events; profiles of other users"
    case .messages: "Conversations and presence"
    case .connections: "Connections and requests for them"
    case .follows: "Followers and followed users"
    case .comments: "Comments on listings and posts, by their ids"
    case .media: "Uploads and media"
    case .listings: "Beats and opens, with likes, comments and the archive"
    case .auctions: "Auctions and offers"
    case .licenses: "Licenses and downloads of what was bought"
    case .sales: "What the caller sells, and pay-outs"
    case .cart: "The cart and its checkout"
    case .orders: "Orders, their payment, and the balance"
    case .payments: "Payment methods and purchases of the App Store"
    case .plans: "Subscriptions to plans, and their members"
    case .posts: "The blog: likes and comments"
    case .newsletter: "The caller's subscription to the newsletter"
    case .exercises: "The exercise library, saved and shared exercises"
    case .workouts: "Workouts, also those of followed users"
    case .livestreams: "Live workouts"
    case .roommates: "Roommate profiles, swipes and matches"
    case .study: "Study sets, cards, reviews and statistics"
    case .quizzes: "Quizzes and attempts"
    case .courses: "Courses with materials, assignments, grades and discussions"
    case .sync: "Synchronization of devices; each collection needs the scope of its own as well"
    case .administration: "Operations for owners, support and administrators, who need a role for each besides"
    }
  }

  /// The resources that it covers: what follows `/v1/` in a path. None for `administration`, which every operation for
  /// roles needs.
  public var resources: [String] {
    switch self {
    case .account: ["auth", "users", "events", "blocks", "relations", "schools", "crash-reports"]
    case .messages: ["conversations", "presence"]
    case .connections: ["connections"]
    case .follows: ["follows"]
    case .comments: ["comments"]
    case .media: ["media", "uploads"]
    case .listings: ["listings", "archive"]
    case .auctions: ["auctions", "offers"]
    case .licenses: ["licenses"]
    case .sales: ["sales", "payouts", "payout-account"]
    case .cart: ["cart"]
    case .orders: ["orders", "balance"]
    case .payments: ["payments", "payment-methods", "payment-settings"]
    case .plans: ["subscriptions", "plan-invitations", "plan-memberships"]
    case .posts: ["posts"]
    case .newsletter: ["newsletter"]
    case .exercises: ["exercises", "shared-exercises"]
    case .workouts: ["workouts", "shared-workouts"]
    case .livestreams: ["livestreams"]
    case .roommates: ["roommates"]
    case .study:
      [
        "study-sets", "cards", "library", "reviews", "due", "scheduler", "study-sessions", "stats", "calendar", "home",
      ]
    case .quizzes: ["quizzes", "attempts"]
    case .courses: ["courses", "course-invitations"]
    case .sync: ["sync"]
    case .administration: []
    }
  }

  /// The kinds of topics that it covers, and what the names of events to users begin with.
  public var topics: [String] {
    switch self {
    case .account, .comments, .posts, .newsletter, .quizzes, .cart, .administration: []
    case .messages: ["conversation", "message"]
    case .connections: ["connection"]
    case .follows: ["user"]
    case .media: ["media", "scan"]
    case .listings: ["listing"]
    case .auctions: ["auction", "offer"]
    case .licenses: []
    case .sales: ["license", "payout"]
    case .orders: ["order"]
    case .payments: []
    case .plans: ["plan"]
    case .exercises: ["exercise"]
    case .workouts: ["workout"]
    case .livestreams: ["livestream"]
    case .roommates: ["roommate"]
    case .study: ["studySet"]
    case .courses: ["course", "assignment", "submission"]
    case .sync: ["sync"]
    }
  }

  /// The scope of an operation's path, unless the operation names one; `nil` for the paths of other services.
  public static func of(_ path: PathTemplate) -> Scope? {
    let segments = path.segments.prefix(2)
    guard segments.first == .literal("v1"), case .literal(let resource)? = segments.dropFirst().first else {
      return nil
    }
    return byResource[resource]
  }

  /// The scope that streams need for a topic; `nil` for the topics of other services, which need only `account`.
  public static func of(_ topic: Topic) -> Scope? {
    // Presence is of those to whom one writes.
    if topic.kind == UserTopic.kind, topic.part == Substring(UserTopic.presence.rawValue) { return .messages }
    return byTopic[topic.kind]
  }

  /// The scope that streams need for an event to their user; `nil` for events about the account and those of other
  /// services.
  public static func of(event name: String) -> Scope? { byTopic[name.prefix { $0 != "." }] }

  private static let byResource = Dictionary(
    allCases.flatMap { scope in scope.resources.map { ($0, scope) } }, uniquingKeysWith: { first, _ in first })

  private static let byTopic = Dictionary(
    allCases.flatMap { scope in scope.topics.map { (Substring($0), scope) } }, uniquingKeysWith: { first, _ in first })
}
