public import Contracts
import Persistence
public import ServiceKit
public import ServiceLifecycle

/// Listings, products, posts, exercises, site content, contact messages and the newsletter.
public struct CatalogPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: CatalogAPI.name,
    api: CatalogAPI.self,
    calls: [AuthAPI.self],
    emits: [ListingRemoved.self],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self]),
      .init(from: OrdersAPI.self, [ListingSaleChanged.self]),
    ],
    mayLack: [OrdersAPI.self],
    migrations: CatalogMigrations.all,
    sealedColumns: CatalogMigrations.sealedColumns,
    settings: Newsletter.settings + Mailer.settings
  )

  private let listings: Listings
  private let marks: Marks
  private let comments: Comments
  private let products: Products
  private let productTypes: ProductTypes
  private let productImport: ImportProducts
  private let stockLevels: StockLevels
  private let reservations: Reservations
  private let posts: Posts
  private let exercises: ExerciseLibrary
  private let contactMessages: ContactMessages
  private let newsletter: Newsletter
  private let site: SiteInformation
  private let tools: Tools
  private let privacy: CatalogPrivacy
  private let mailer: Mailer
  public let workers: [any Service]

  public init(environment: ServiceEnvironment) async throws {
    let mailer = try Mailer(environment)
    let newsletter = try Newsletter(environment, mailer: mailer)
    let reservations = try Reservations(environment)
    let exercises = try await ExerciseLibrary(environment)
    let erasures = try Erasures(environment)
    self.mailer = mailer
    self.newsletter = newsletter
    self.reservations = reservations
    self.exercises = exercises
    listings = try Listings(environment)
    marks = try Marks(environment)
    comments = try Comments(environment)
    products = try Products(environment)
    productTypes = try ProductTypes(environment)
    productImport = try ImportProducts(environment)
    stockLevels = try StockLevels(environment)
    posts = try Posts(environment)
    contactMessages = try ContactMessages(environment, mailer: mailer)
    site = try SiteInformation(environment)
    tools = try Tools(environment)
    privacy = CatalogPrivacy(
      database: try environment.database,
      exercises: exercises,
      newsletter: newsletter,
      erasures: erasures
    )
    workers = [mailer, reservations, erasures] + newsletter.workers
  }

  public func register(in routes: inout Routes) {
    listings.register(in: &routes)
    marks.register(in: &routes)
    comments.register(in: &routes)
    products.register(in: &routes)
    productTypes.register(in: &routes)
    productImport.register(in: &routes)
    stockLevels.register(in: &routes)
    reservations.register(in: &routes)
    posts.register(in: &routes)
    exercises.register(in: &routes)
    contactMessages.register(in: &routes)
    newsletter.register(in: &routes)
    site.register(in: &routes)
    tools.register(in: &routes)
    routes.on(UserDeleted.self) { [privacy] event, tx in try privacy.forget(event.userID, in: tx) }
  }

  public func personalData(of user: UserID) async throws -> JSONValue { try await privacy.personalData(of: user) }

  /// Releases expired reservations once, for hosts that do not run the workers.
  package func round() async throws { _ = try await reservations.round() }
}
