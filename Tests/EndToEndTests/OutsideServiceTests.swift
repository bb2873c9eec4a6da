import AuthService
import Contracts
import CurlClient
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

/// The client's copy of the contract of `Tests/Fixtures/Guestbook`, a service in a package of its own.
private enum Guestbook {
  struct Note: Codable, Sendable, Equatable {
    var id: String
    var authorID: UserID
    var text: String
  }

  struct AddNote: Endpoint {
    typealias Response = Note
    static let operation = Operation.post("/v1/guestbook/notes", "Add a note", idempotency: .acceptsKey, success: 201)
    var text: String
  }

  struct ListNotes: Endpoint {
    typealias Response = Page<Note>
    static let operation = Operation.get("/v1/guestbook/notes", "List notes", access: .anyone)
  }
}

/// A service of this process whose operation could also be one of auth's.
private struct Impostor: ServicePlugin, Feature {
  enum API: ServiceAPI {
    static let name = "impostor"
    static let summary = "Answers for others"
    static let endpoints: [any Endpoint.Type] = [GetLevels.self]

    struct GetLevels: Endpoint {
      static let operation = Operation.get("/v1/fitness-levels", "Get levels", scope: .account, success: 204)
    }
  }

  static let manifest = Manifest(name: API.name, api: API.self)
  init(environment: ServiceEnvironment) {}
  func register(in routes: inout Routes) { routes.on(API.GetLevels.self) { _, _ in } }
}

/// A service that was built in a package of its own, against the library products only.
@Suite(.serialized)
struct OutsideServiceTests {
  /// Uses the guestbook as an app would, and returns the author.
  private func use(_ url: String, as name: String) async throws -> (client: APIClient, user: UserID) {
    let (anyone, curl) = client(url)
    let signedUp = try await anyone.send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
        displayName: DisplayName(validating: name), password: Password(validating: "correct horse"))
    )
    let me = anyone.with(accessToken: signedUp.accessToken)
    let note = try await me.send(Guestbook.AddNote(text: "I was here"), idempotencyKey: "first")
    #expect(note.authorID == signedUp.user.id)
    #expect(try await me.send(Guestbook.AddNote(text: "I was here"), idempotencyKey: "first") == note)
    #expect(try await anyone.send(Guestbook.ListNotes()).items == [note])
    #expect(try await problem { _ = try await anyone.send(Guestbook.AddNote(text: "x")) }?.is(.tokenMissing) == true)
    let long = String(repeating: "x", count: 501)
    let refused = try await problem { _ = try await me.send(Guestbook.AddNote(text: long)) }
    #expect(refused?.errors?.map(\.location) == ["body.text"])
    // The limit that the service declares, which the gateway enforces.
    let huge = String(repeating: "x", count: 3000)
    #expect(try await problem { _ = try await me.send(Guestbook.AddNote(text: huge)) }?.is(.bodyTooLarge) == true)
    let documented = try await curl.send(ClientRequest(origin: url, target: "/openapi.json"))
    let document = try WireJSON.decode(
      JSONValue.self, from: try await documented.body.collect(upTo: 4 << 20)
    )
    #expect(document["paths"]?["/v1/guestbook/notes"]?["post"]?["summary"]?.string == "Add a note")
    #expect(document["paths"]?["/v1/users/me"]?["get"]?["summary"]?.string == "Get the caller's account")
    await curl.shutdown()
    return (me, signedUp.user.id)
  }

  private func client(_ url: String) -> (client: APIClient, curl: CurlClient) {
    let curl = CurlClient()
    return (APIClient(transport: CurlTransport(client: curl, origin: url)), curl)
  }

  @Test func runsInOneProcessWithTheGateway() async throws {
    try await TemporaryFolder.run { folder async throws in
      let platform = try await ServiceProcess("platform", settings: ["DATA": folder, "LOG_LEVEL": "error"])
      _ = try await use(platform.url, as: "ada")
      #expect(await platform.terminate() == 0)
    }
  }

  @Test func runsBehindTheGatewayAsItIs() async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = ["DATA": folder, "LOG_LEVEL": "error"]
      let auth = try await ServiceProcess("auth", settings: settings)
      let located = settings.merging(["SERVICES_AUTH_URL": auth.url]) { $1 }
      let guestbook = try await ServiceProcess("guestbook", settings: located)
      let routed = located.merging(["SERVICES_GUESTBOOK_URL": guestbook.url]) { $1 }
      let gateway = try await ServiceProcess("gateway", settings: routed)
      let (early, waiting) = client(gateway.url)
      try await eventually("the gateway has learned the routes") {
        guard (try? await early.send(AuthAPI.GetKeys()).keys.isEmpty) == false else { return false }
        return (try? await early.send(Guestbook.ListNotes()).items.isEmpty) == true
      }
      await waiting.shutdown()
      let (_, user) = try await use(gateway.url, as: "ada")
      // The gateway also subscribes to its events.
      let events = try SQLiteDatabase(path: "\(folder)/gateway.sqlite")
      try await eventually("the author's stream has the note") {
        try await events.read { db in
          try db.values("SELECT name FROM realtime_log WHERE subject = \("user:\(user)")", as: String.self)
        } == ["guestbook.noted"]
      }
      await events.close()

      // A gateway that starts while the service is away knows its routes, and those of auth serve as before.
      await gateway.terminate()
      await guestbook.kill()
      let restarted = try await ServiceProcess("gateway", settings: routed)
      let (anyone, curl) = client(restarted.url)
      #expect(try await problem { _ = try await anyone.send(Guestbook.ListNotes()) }?.is(.unavailable) == true)
      #expect(try await !anyone.send(AuthAPI.GetKeys()).keys.isEmpty)
      let unknown = try await curl.send(ClientRequest(origin: restarted.url, target: "/v1/nothing"))
      #expect(unknown.status == 404)
      await curl.shutdown()
      await restarted.terminate()
      await auth.terminate()
    }
  }

  /// A gateway that has never heard of a service does not claim that its paths do not exist.
  @Test func unknownServicesAreUnavailable() async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = ["DATA": folder, "LOG_LEVEL": "error"]
      let auth = try await ServiceProcess("auth", settings: settings)
      let port = try reservedPort()
      let located = settings.merging(["SERVICES_AUTH_URL": auth.url]) { $1 }
      let gateway = try await ServiceProcess(
        "gateway", settings: located.merging(["SERVICES_GUESTBOOK_URL": "http://127.0.0.1:\(port)"]) { $1 }
      )
      let (anyone, curl) = client(gateway.url)
      #expect(try await problem { _ = try await anyone.send(Guestbook.ListNotes()) }?.is(.unavailable) == true)
      let guestbook = try await ServiceProcess(
        "guestbook", settings: located.merging(["PORT": "\(port)"]) { $1 }
      )
      try await eventually("the gateway has learned the routes") {
        (try? await anyone.send(Guestbook.ListNotes()).items.isEmpty) == true
      }
      await curl.shutdown()
      await gateway.terminate()
      await guestbook.terminate()
      await auth.terminate()
    }
  }

  @Test func overlapsAreRefusedByName() async throws {
    try await TemporaryFolder.run { folder async throws in
      let refusal = await #expect(throws: (any Error).self) {
        let platform = try await ServiceHost.build(
          [GatewayPlugin.self, AuthPlugin.self, Impostor.self],
          settings: Settings(["data": folder, "log.level": "critical"])
        )
        await platform.close()
      }
      #expect(
        refusal.map { "\($0)" }
          == "the service impostor cannot be routed: "
          + "GET /v1/fitness-levels overlaps with GET /v1/fitness-levels of auth"
      )
    }
  }

  /// A service can report only what is its to report.
  @Test func eventsOfOthersAreRefused() async throws {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self]) { test in
      let ada = try await test.client.signUp("ada")
      let deletion = try WireJSON.decode(
        CloudEvent.self,
        from: Array(
          """
          {"specversion":"1.0","id":"1","source":"/shop","type":"\(UserDeleted.type)","subject":"\(ada.user.id)",
           "time":"2026-11-22T00:00:00.000Z","datacontenttype":"application/json","data":{"userID":"\(ada.user.id)"}}
          """.utf8
        )
      )
      let shop = test.platform.client(of: GatewayAPI.self, as: "shop")
      let refused = try await problem { _ = try await shop.send(EventsAPI.Deliver(body: deletion)) }
      #expect(refused?.code == "service-not-allowed")
    }
  }
}
