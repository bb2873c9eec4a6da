import Contracts
import CurlClient
import Foundation
import Persistence
import TestKit
import Testing

@testable import AuthService
@testable import CatalogService
@testable import GatewayService
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
          let complaints = try await PactReplay(transport) { _, _ in values }.complaints(about: golden)
          #expect(complaints == [], "\(pact.consumer)-\(pact.provider)")
        }
      }
    }
  }

  @Test func officialVerifierAgrees() async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("verify.py").path
    for pact in try ServicePacts.all() {
      let file = Goldens.folder.appendingPathComponent("pacts/\(pact.consumer)-\(pact.provider).json").path
      try await Self.withProvider(pact) { process, values in
        let json = String(decoding: try WireJSON.encode(values), as: UTF8.self)
        let url = process.eventURL(of: pact.provider)
        let command = try Command([try Python.path(), script, file, url, String(pact.count), json])
        #expect(await command.end() == 0, "\(pact.consumer)-\(pact.provider)")
      }
    }
  }

  // MARK: the providers

  /// Runs the provider as a process, with the fixtures of the pacts and a service token for the consumer.
  private static func withProvider(_ pact: Pact, _ body: (ServiceProcess, [String: String]) async throws -> Void)
    async throws
  {
    try await TemporaryFolder.run { folder async throws in
      try await fill(folder)
      var settings = ["DATA": folder, "LOG_LEVEL": "critical"]
      for name in ["auth", "catalog", "orders", "matching", "study-sync"] where name != pact.provider {
        settings["SERVICES_\(name.uppercased().replacing("-", with: "_"))_URL"] = "http://127.0.0.1:1"
      }
      guard let secret = Data(base64Encoded: ServiceProcess.serviceKeys) else { throw TestKitError("invalid key") }
      let identity = await ServiceIdentity(secrets: [Array(secret)], time: .system)
      let token = try await identity.token(caller: pact.consumer, audience: pact.provider)
      try await ServiceProcess.running(pact.provider, settings: settings) { process in
        try await body(process, ["serviceToken": token])
      }
    }
  }

  /// Inserts a user, a product and a listing with the IDs of the pacts.
  private static func fill(_ folder: String) async throws {
    let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self]
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
    }
    // The gateway accepts events of topics from the services that it knows to have them.
    let gateway = try SQLiteDatabase(path: "\(folder)/gateway.sqlite")
    try await gateway.write { tx in
      for (name, kinds) in [
        ("catalog", ["listing"]), ("matching", ["conversation", "user"]), ("study-sync", ["course", "sync"]),
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
      let audio = MediaID(trusted: "01890a5d-ac96-774b-bcce-b302099a8009")
      let row = ListingSummary(
        id: ServicePacts.listing,
        kind: .beat,
        ownerID: ServicePacts.seller,
        name: ShortText(checked: "Night drive"),
        tags: [],
        cover: nil,
        audio: audio,
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
}

extension ServiceProcess {
  /// The URL for calls from other services: the edge has a private port for them.
  fileprivate func eventURL(of name: String) -> String { name == "gateway" ? privateURL : url }
}
