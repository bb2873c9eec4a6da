import Contracts
import Crypto
import Foundation
import Logging
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// Tokens of services that were broken into: a key speaks for its own service only.
struct ServiceTokenTests {
  private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// The services of a platform, each with a key of its own; the called one is auth.
  private struct Services {
    let time = ManualTime()
    let catalog = ServiceKeyRing.random()
    let orders = ServiceKeyRing.random()
    let auth: ServiceIdentity
    /// How often auth has asked for keys, and by which names.
    let asked = Asked()

    final class Asked: Sendable {
      private let state = Mutex<[String]>([])
      var names: [String] { state.withLock { $0 } }
      func add(_ name: String) { state.withLock { $0.append(name) } }
    }

    init(isReachable: @escaping @Sendable () -> Bool = { true }) {
      let keys = ["catalog": catalog, "orders": orders]
      let (time, asked) = (time.source, asked)
      let sources = ServiceTrust.Sources(published: { service in
        asked.add(service)
        guard isReachable() else { throw Problem(.unavailable) }
        return keys[service].map { ServiceTrust.Published(keys: $0.published(at: time.now()), isComplete: true) }
      })
      auth = ServiceIdentity(
        ["auth": .inMemory()], trust: ServiceTrust(sources, logger: ServiceTokenTests.quiet), time: time)
    }

    func claims(_ caller: String, _ audience: String = "auth", age: Int64 = 0, lifetime: Int64 = 60)
      -> ServiceToken.Claims
    {
      let iat = time.source.now().unixSeconds - age
      return .init(sub: caller, aud: audience, iat: iat, exp: iat + lifetime)
    }

    /// The problem with which auth refuses a token; `nil` when it accepts it.
    func refusal(_ token: String) async throws -> String? {
      do {
        _ = try await auth.verify(token[...], audience: "auth")
        return nil
      } catch let problem as Problem { return problem.code }
    }
  }

  @Test func eachServiceSpeaksForItself() async throws {
    let services = Services()
    let token = try ServiceToken.sign(services.claims("catalog"), by: services.catalog.pairs[0])
    #expect(try await services.auth.verify(token[...], audience: "auth") == "catalog")
    #expect(try await services.auth.verify(token[...], audience: "auth") == "catalog")
    #expect(services.asked.names == ["catalog"])
  }

  @Test(
    "S11: the key of catalog signs for no other service", arguments: ["auth", "orders", "gateway", "../catalog", ""])
  func aKeyDoesNotSpeakForOthers(_ name: String) async throws {
    let services = Services()
    let pair = services.catalog.pairs[0]
    // Also once auth knows the key as catalog's.
    let own = try ServiceToken.sign(services.claims("catalog"), by: pair)
    #expect(try await services.refusal(own) == nil)
    #expect(try await services.refusal(ServiceToken.sign(services.claims(name), by: pair)) == "token-invalid")
  }

  @Test("S11: catalog cannot name the key of orders over its own signature")
  func anIdentifierOfAnotherKeyHelpsNoOne() async throws {
    let services = Services()
    let real = try ServiceToken.sign(services.claims("orders"), by: services.orders.pairs[0])
    let forged = try ServiceToken.sign(services.claims("orders"), by: services.catalog.pairs[0])
    #expect(try await services.refusal(real) == nil)
    let (header, rest) = (real.split(separator: ".")[0], forged.split(separator: ".").dropFirst())
    #expect(try await services.refusal(([header] + rest).joined(separator: ".")) == "token-invalid")
  }

  @Test func tokensAreForOneServiceAndShort() async throws {
    let services = Services()
    let pair = services.catalog.pairs[0]
    let table: [(claims: ServiceToken.Claims, refusal: String)] = [
      (services.claims("catalog", "orders"), "token-invalid"),
      (services.claims("catalog", age: 60), "token-expired"),
      (services.claims("catalog", age: -60), "token-invalid"),
      (services.claims("catalog", lifetime: 86_400), "token-invalid"),
      (.init(sub: "catalog", aud: "auth", iat: .min, exp: .max), "token-invalid"),
    ]
    for (claims, refusal) in table {
      #expect(try await services.refusal(ServiceToken.sign(claims, by: pair)) == refusal, "\(claims)")
    }
    // Nothing had to be asked for what is refused anyway.
    #expect(services.asked.names == [])
  }

  @Test(arguments: ["none", "HS256", "ES384"])
  func onlyOneAlgorithmIsAccepted(_ algorithm: String) async throws {
    let services = Services()
    let parts = try ServiceToken.sign(services.claims("catalog"), by: services.catalog.pairs[0]).split(separator: ".")
    let id = services.catalog.pairs[0].publicKey.id
    let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)","typ":"service+jwt","kid":"\#(id)"}"#.utf8))
    #expect(try await services.refusal("\(header).\(parts[1]).\(parts[2])") == "token-invalid")
    #expect(try await services.refusal("\(header).\(parts[1]).") == "token-invalid")
    let user = Base64URL.encode(Array(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(id)"}"#.utf8))
    #expect(try await services.refusal("\(user).\(parts[1]).\(parts[2])") == "token-invalid")
  }

  /// Tokens with made-up keys do not make a service ask others all the time.
  @Test func unknownKeysAreAskedForOnceASecond() async throws {
    let services = Services()
    for _ in 0..<100 {
      let stranger = ServiceKeyRing.random().pairs[0]
      #expect(
        try await services.refusal(ServiceToken.sign(services.claims("catalog"), by: stranger)) == "token-invalid")
    }
    #expect(services.asked.names == ["catalog"])
    services.time.advance(seconds: 2)
    let token = try ServiceToken.sign(services.claims("catalog"), by: services.catalog.pairs[0])
    #expect(try await services.refusal(token) == nil)
  }

  @Test func unreachableKeysAreTemporary() async throws {
    let isReachable = Mutex(false)
    let services = Services(isReachable: { isReachable.withLock { $0 } })
    let token = try ServiceToken.sign(services.claims("catalog"), by: services.catalog.pairs[0])
    #expect(try await services.refusal(token) == "unavailable")
    isReachable.withLock { $0 = true }
    #expect(try await services.refusal(token) == nil)
  }

  @Test func aServiceSignsOnlyInItsOwnName() async throws {
    let services = Services()
    #expect(try await !services.auth.token(caller: "auth", audience: "catalog").isEmpty)
    await #expect(throws: ServiceIdentity.NotOwn.self) {
      _ = try await services.auth.token(caller: "catalog", audience: "orders")
    }
  }
}
