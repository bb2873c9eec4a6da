import Contracts
import CurlClient
import Foundation
import Persistence
import TestKit
import Testing

@testable import AuthService
@testable import CatalogService
@testable import GatewayService
@testable import MediaIndexService
@testable import OrdersService
@testable import ServiceKit

/// Every service fulfills its pacts, and the official verifier confirms it.
@Suite(.serialized)
struct ServicePactTests {
  @Test func pactsAreAsAgreed() throws {
    for pact in try ServicePacts.all() {
      #expect(pact.count > 0)
      try Goldens.expect(pact.json, toMatch: "pacts/\(pact.consumer)-\(pact.provider).json")
    }
  }

  @Test func everyProviderKeepsItsPacts() async throws {
    for pact in try ServicePacts.all() {
      let golden = try Goldens.read("pacts/\(pact.consumer)-\(pact.provider).json")
      try await Self.withProvider(pact) { process, values in
        try await CurlClient.running { http in
          let transport = CurlTransport(client: http, origin: process.eventURL(of: pact.provider))
          let violations = try await PactReplay(transport) { _, _ in try values() }.violations(of: golden)
          #expect(violations == [], "\(pact.consumer)-\(pact.provider)")
        }
      }
    }
  }

  @Test func officialVerifierAgrees() async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("verify.py").path
    for pact in try ServicePacts.all() {
      let file = Goldens.folder.appendingPathComponent("pacts/\(pact.consumer)-\(pact.provider).json").path
      try await Self.withProvider(pact) { process, values in
        let states = try ProviderValues.serve(values)
        defer { states.stop() }
        let url = process.eventURL(of: pact.provider)
        let command = try Command([try Python.path(), script, file, url, String(pact.count), states.origin])
        #expect(await command.end() == 0, "\(pact.consumer)-\(pact.provider)")
      }
    }
  }

  // MARK: the providers

  /// Runs the provider as a process, with the fixtures of the pacts and service tokens for the consumer.
  private static func withProvider(
    _ pact: Pact, _ body: (ServiceProcess, @escaping ProviderValues.Make) async throws -> Void
  )
    async throws
  {
    try await TemporaryFolder.run { folder async throws in
      try await fill(folder, for: pact.provider)
      var settings = ["DATA": folder, "LOG_LEVEL": "critical"]
      for name in ["auth", "catalog", "orders", "matching", "study-sync", "media-index"] where name != pact.provider {
        settings["SERVICES_\(name.uppercased().replacing("-", with: "_"))_URL"] = "http://127.0.0.1:1"
      }
      try await ServiceProcess.running(pact.provider, settings: settings) { process in
        try await body(process, ProviderValues.of(pact.consumer, calling: pact.provider))
      }
    }
  }

  /// Inserts a user, a product, a listing, a picture and a license with the IDs of the pacts.
  private static func fill(_ folder: String, for provider: String) async throws {
    var plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self]
    if provider == MediaAPI.name { plugins.append(MediaIndexPlugin.self) }
    if provider == OrdersAPI.name { plugins.append(OrdersPlugin.self) }
    try await TestPlatform.run(plugins, settings: ["data": folder], time: nil) { test in
      let auth = try test.plugin(AuthPlugin.self)
      try await auth.core.database.write { tx in
        let account = Account(
          id: ServicePacts.user,
          email: "ada@example.com",
          isEmailVerified: true,
          username: "ada",
          displayName: "Ada",
          hasPassword: false,
          roles: [.user],
          createdAt: tx.now,
          version: 1
        )
        try auth.core.accounts.insert(StoredAccount(account: account), in: tx)
      }
      if provider == MediaAPI.name { try await insertPicture(test.plugin(MediaIndexPlugin.self).core) }
      if provider == OrdersAPI.name { try await insertLicense(test.database(of: OrdersAPI.self)) }
    }
    // The gateway accepts events of topics from the services that it knows to have them.
    let gateway = try SQLiteDatabase(path: "\(folder)/gateway.sqlite")
    try await gateway.write { tx in
      for (name, kinds) in [
        ("catalog", ["listing"]), ("matching", ["conversation", "user"]), ("study-sync", ["course", "sync"]),
        ("media-index", ["media"]),
      ] {
        let description = ServiceDescription(
          name: name, operations: [], events: [], topics: kinds, openAPI: [:]
        )
        try ServiceDescriptionStore.save(description, in: tx)
      }
    }
    await gateway.close()
    let catalog = try SQLiteDatabase(path: "\(folder)/catalog.sqlite")
    try await catalog.write { tx in
      try tx.execute("INSERT INTO product_types (id, title) VALUES ('earrings', 'Earrings')")
      let price = Money(2499, .usd)
      let product = StoredProduct(
        id: ServicePacts.product,
        type: "earrings",
        title: "Earrings",
        price: price,
        taxClass: "standard",
        weightGrams: 20,
        images: [],
        createdAt: tx.now,
        version: 1,
        available: 0
      )
      try ProductStore.insert(product, stock: [product.id.rawValue: 5], in: tx)
      let row = ListingSummary(
        id: ServicePacts.listing,
        kind: .beat,
        ownerID: ServicePacts.seller,
        name: ShortText(checked: "Night drive"),
        tags: [],
        cover: nil,
        audio: ServicePacts.recording,
        price: Price(checked: price),
        acceptsOffers: true,
        isPurchased: false,
        isOpenForBids: false,
        likeCount: 0,
        commentCount: 0,
        archiveCount: 0,
        isLiked: false,
        isArchived: false,
        createdAt: tx.now,
        version: 1
      )
      let license = LicenseOption(kind: .exclusive, price: Price(checked: price), files: [.mp3])
      try ListingStore.insert(Listing(row, description: nil, licenses: [license]), in: tx)
    }
    await catalog.close()
  }

  private static func insertPicture(_ core: MediaCore) async throws {
    let scans = ScanStore(keys: core.environment.dataKeys)
    try await core.database.write { tx in
      let picture = Media(
        id: ServicePacts.picture, owner: ServicePacts.user, kind: .image, state: .ready, visibility: .everyone,
        contentType: "image/png", bytes: 100, title: ShortText(checked: "Notes"), createdAt: tx.now, version: 1)
      try core.media.insert(StoredMedia(media: picture, app: .letustudy), in: tx)
      _ = try scans.start(picture.id, of: picture.owner, in: tx)
      try scans.examined(picture.id, [nil], in: tx)
      try scans.put(ScannedPage(page: 1, text: "aqua", confidence: 93), of: picture.id, in: tx)
      try scans.finishIfComplete(picture.id, in: tx)
    }
  }

  private static func insertLicense(_ database: any Database) async throws {
    try await database.write { tx in
      try tx.execute(
        """
        INSERT INTO orders
          (id, source, status, payment_status, currency, subtotal, tax, shipping, total, credit, refunded, stock,
           created_at, version)
        VALUES ('01890a5d-ac96-774b-bcce-b302099a800b', 'offer', 'completed', 'captured', 'USD', 2499, 0, 0, 2499, 0, 0,
                'none', \(tx.now), 1)
        """
      )
      try tx.execute(
        """
        INSERT INTO licenses
          (id, listing_id, kind, holder_id, seller_id, order_id, amount, currency, status, granted_at, terms,
           terms_hash, files, audio, prior_licenses)
        VALUES ('01890a5d-ac96-774b-bcce-b302099a800a', \(ServicePacts.listing), 'lease', \(ServicePacts.user),
                \(ServicePacts.seller), '01890a5d-ac96-774b-bcce-b302099a800b', 2499, 'USD', 'active', \(tx.now), '', '',
                'mp3', \(ServicePacts.recording), 0)
        """
      )
    }
  }
}

extension ServiceProcess {
  /// The URL for calls from other services: the edge has a private port for them.
  fileprivate func eventURL(of name: String) -> String { name == "gateway" ? privateURL : url }
}
