import Contracts
import Persistence
public import ServiceKit

/// Listings, products, posts, exercises, site content, contact messages and the newsletter.
public struct CatalogPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: CatalogAPI.name,
    api: CatalogAPI.self,
    calls: [AuthAPI.self, MatchingAPI.self, MediaAPI.self],
    emits: [
      ListingRemoved.self, MediaReferencesChanged.self, RealtimeEvent.self, TopicEvent.self, TopicAccessEnded.self,
      UserTopicEvent.self,
    ],
    topics: ["listing"],
    previews: ["listing", "post", "product"],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self, UserChanged.self, UserAddressVerified.self, ConsentChanged.self]),
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
    let names = PublicNames(environment)
    let owners = ListingOwners(names: names)
    let library = try await ExerciseLibrary(environment)
    features = [
      try Listings(environment, owners: owners),
      try ListingAdministration(environment, owners: owners), try Comments(environment, names: names),
      try Reactions(environment, owners: owners), UserNames(names: names), Blocks.feature,
      try Products(environment), try Variants(environment),
      try ProductTypes(environment), try ImportProducts(environment), try StockLevels(environment),
      try Reservations(environment), try Posts(environment), try ImportPosts(environment),
      library, try SavedExercises(environment, library), try SharedExercises(environment, library),
      try ContactMessages(environment, mailer: mailer), try Newsletter(environment, mailer: mailer),
      try SiteInformation(environment), try Tools(environment), try EnumerationWords(), mailer,
    ]
  }
}
