import Contracts
import Logging
import Testing

@testable import GatewayService
@testable import ServiceKit

/// How many responses readers may keep open.
struct DownloadPlacesTests {
  private static let long = 1 << 20

  private static func context(_ address: String, user: UserID? = nil, _ role: Role = .user) -> RequestContext {
    var context = RequestContext(
      requestID: "request", trace: TraceContext(), remoteAddress: address, clientAddress: address, userAgent: nil,
      logger: Logger(label: "test"))
    context.user = user.map {
      UserCaller(
        id: $0, sessionID: SessionID(trusted: "session"), app: .keepfit, scopes: [], roles: [role], isClient: false,
        expiresAt: Timestamp(microseconds: 0))
    }
    return context
  }

  /// Takes places until there are no more.
  private static func takeAll(_ downloads: Downloads, _ contexts: [RequestContext]) -> [Downloads.Place] {
    var places: [Downloads.Place] = []
    for context in contexts {
      while let place = try? downloads.place(for: context, length: long) { places.append(place) }
    }
    return places
  }

  @Test func aNetworkLeavesPlacesForOthers() throws {
    let downloads = Downloads()
    // Addresses of one /64 network.
    let places = Self.takeAll(downloads, (1...3).map { Self.context("2001:db8::\($0)") })
    #expect(places.count == 64)
    #expect(try downloads.place(for: Self.context("192.0.2.1"), length: Self.long) != nil)
  }

  @Test func aUserLeavesPlacesForOthersOfTheNetwork() throws {
    let downloads = Downloads()
    let (ada, bob) = (UserID(trusted: "ada"), UserID(trusted: "bob"))
    let places = Self.takeAll(downloads, [Self.context("192.0.2.1", user: ada)])
    #expect(places.count == 24)
    #expect(try downloads.place(for: Self.context("192.0.2.1", user: bob), length: Self.long) != nil)
  }

  /// The client can send 512 requests to a service at once.
  @Test func membersHaveHalfOfThePlacesAndRequestsHaveTheRest() throws {
    let downloads = Downloads()
    let anonymous = Self.takeAll(downloads, (1...100).map { Self.context("192.0.2.\($0)") })
    #expect(anonymous.count == 192)
    let members = Self.takeAll(
      downloads, (1...100).map { Self.context("198.51.100.\($0)", user: UserID(trusted: "user-\($0)")) })
    #expect(members.count == 192)
  }

  @Test func whatIsReceivedAnywayNeedsNoPlace() throws {
    let downloads = Downloads()
    let places = Self.takeAll(downloads, [Self.context("192.0.2.1")])
    #expect(try downloads.place(for: Self.context("192.0.2.1"), length: 100_000) == nil)
    withExtendedLifetime(places) {}
  }

  @Test func placesAreFreeAgain() throws {
    let downloads = Downloads()
    var places = Self.takeAll(downloads, [Self.context("192.0.2.1")])
    #expect(throws: Problem.self) { _ = try downloads.place(for: Self.context("192.0.2.1"), length: nil) }
    places = []
    #expect(places.isEmpty)
    #expect(try downloads.place(for: Self.context("192.0.2.1"), length: nil) != nil)
  }
}
