import Contracts
import Persistence
public import ServiceKit

/// Listings, products, posts, exercises, site content, contact messages and the newsletter.
public struct CatalogPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: CatalogAPI.name,
    api: CatalogAPI.self,
    calls: [AuthAPI.self, MediaAPI.self],
    emits: [ListingRemoved.self, MediaReferencesChanged.self, TopicEvent.self, TopicAccessEnded.self],
    topics: ["listing"],
    previews: ["listing", "post", "product"],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self, UserChanged.self]),
      .init(from: OrdersAPI.self, [ListingSaleChanged.self]),
      .init(from: MatchingAPI.self, [BlockChanged.self]),
    ],
    optionalDependencies: [MatchingAPI.self, MediaAPI.self, OrdersAPI.self],
    migrations: CatalogMigrations.all,
    sealedColumns: CatalogMigrations.sealedColumns,
    settings: Newsletter.settings + Mailer.settings
  )

  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let mailer = try Mailer(environment)
    features = [
      try Listings(environment), try Comments(environment), try Reactions(environment), Blocks.feature,
      try Products(environment),
      try ProductTypes(environment), try ImportProducts(environment), try StockLevels(environment),
      try Reservations(environment), try Posts(environment), try await ExerciseLibrary(environment),
      try ContactMessages(environment, mailer: mailer), try Newsletter(environment, mailer: mailer),
      try SiteInformation(environment), try Tools(environment), mailer,
    ]
  }
}
