import Contracts
import Persistence
import PlatformRules
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
    let core = try CatalogCore(environment)
    let library = try await ExerciseLibrary(core)
    features = [
      Listings(core),
      ListingAdministration(core), Comments(core),
      Reactions(core), UserNames(names: core.names), Blocks.feature,
      Products(core), Variants(core),
      ProductTypes(core), ImportProducts(core), StockLevels(core),
      Reservations(core), Posts(core), ImportPosts(core),
      library, SavedExercises(core, library), SharedExercises(core, library),
      ContactMessages(core), try Newsletter(core),
      SiteInformation(core), Tools(core), try EnumerationWords(), core.mailer,
    ]
  }
}
