import Contracts
import HTTPServing
import Logging
import Testing

@testable import GatewayService
@testable import ServiceKit

/// How many responses readers may keep open.
struct DownloadSlotsTests {
  private static let long = 1 << 20
  private static let service = "media-index"

  static func context(_ address: String, user: UserID? = nil, _ role: Role = .user) -> RequestContext {
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

  /// Takes slots until there are no more.
  private static func takeAll(_ downloads: Downloads, _ contexts: [RequestContext]) -> [Downloads.Slot] {
    var slots: [Downloads.Slot] = []
    for context in contexts {
      while let slot = try? downloads.slot(for: context, length: long, of: service) { slots.append(slot) }
    }
    return slots
  }

  @Test func aNetworkLeavesSlotsForOthers() throws {
    let downloads = Downloads()
    // Addresses of one /64 network.
    let slots = Self.takeAll(downloads, (1...3).map { Self.context("2001:db8::\($0)") })
    #expect(slots.count == 48)
    _ = try #require(try downloads.slot(for: Self.context("192.0.2.1"), length: Self.long, of: Self.service))
  }

  /// A customer of a provider may have a /48 network, which are 65536 of the others.
  @Test(arguments: [(1...3).map { "2001:db8:1:\($0)::1" }, (1...200).map { "192.0.2.\($0)" }])
  func networksOfOneProviderLeaveSlotsForOthers(_ addresses: [String]) throws {
    let downloads = Downloads()
    let slots = Self.takeAll(downloads, addresses.map { Self.context($0) })
    #expect(slots.count == 64)
    for other in ["2001:db8:2:1::1", "198.51.100.1"] {
      _ = try #require(try downloads.slot(for: Self.context(other), length: Self.long, of: Self.service))
    }
  }

  @Test func eachServiceHasSlots() throws {
    let downloads = Downloads()
    let slots = Self.takeAll(downloads, [Self.context("192.0.2.1")])
    #expect(slots.count == 48)
    _ = try #require(try downloads.slot(for: Self.context("192.0.2.1"), length: Self.long, of: "study-sync"))
  }

  @Test func aUserLeavesSlotsForOthersOfTheNetwork() throws {
    let downloads = Downloads()
    let (ada, bob) = (UserID(trusted: "ada"), UserID(trusted: "bob"))
    let slots = Self.takeAll(downloads, [Self.context("192.0.2.1", user: ada)])
    #expect(slots.count == 16)
    _ = try #require(
      try downloads.slot(for: Self.context("192.0.2.1", user: bob), length: Self.long, of: Self.service))
  }

  /// The client can send 512 requests to a service at once.
  @Test func membersHaveHalfOfThePlacesAndRequestsHaveTheRest() throws {
    let downloads = Downloads()
    let anonymous = Self.takeAll(downloads, (1...100).map { Self.context("10.0.\($0).1") })
    #expect(anonymous.count == 128)
    let members = Self.takeAll(
      downloads, (1...100).map { Self.context("10.1.\($0).1", user: UserID(trusted: "user-\($0)")) })
    #expect(members.count == 128)
  }

  @Test func smallResponsesNeedNoSlot() throws {
    let downloads = Downloads()
    let slots = Self.takeAll(downloads, [Self.context("192.0.2.1")])
    #expect(try downloads.slot(for: Self.context("192.0.2.1"), length: 100_000, of: Self.service) == nil)
    withExtendedLifetime(slots) {}
  }

  @Test func slotsAreReleased() throws {
    let downloads = Downloads()
    var slots = Self.takeAll(downloads, [Self.context("192.0.2.1")])
    #expect(throws: Problem.self) {
      _ = try downloads.slot(for: Self.context("192.0.2.1"), length: nil, of: Self.service)
    }
    slots = []
    #expect(slots.isEmpty)
    _ = try #require(try downloads.slot(for: Self.context("192.0.2.1"), length: nil, of: Self.service))
  }
}
