import Contracts
import CurlClient
import Foundation
import TestKit
import Testing

@testable import ServiceKit

/// Services that know each other by the key sets at their URLs, as in `compose/compose.yaml`.
@Suite(.serialized)
struct ServiceRotationTests {
  @Test func servicesKnowEachOtherByTheirKeySets() async throws {
    try await ServicePair.run { pair async throws in
      #expect(try await pair.client.send(ServicePair.Callee.Ask()) == "caller")
      let refused = try await problem { _ = try await pair.client.send(ServicePair.Callee.Notify()) }
      #expect(refused?.code == "service-not-allowed")
      #expect(refused?.status == 403)
    }
  }

  @Test("S11: a service that broke into caller, and has its key, is not taken for another one")
  func aStolenKeyIsOnlyItsOwn() async throws {
    try await ServicePair.run { pair async throws in
      let ring = try #require(
        ServiceKeyRing(text: String(contentsOfFile: "\(pair.caller.folder)/service-keys-caller", encoding: .utf8)))
      let now = pair.time.source.now().unixSeconds
      for name in ["other", "gateway", "callee"] {
        let claims = ServiceToken.Claims(sub: name, aud: "callee", iat: now, exp: now + 60)
        let token = try ServiceToken.sign(claims, by: ring.pairs[0])
        let forged = APIClient(transport: pair.caller.platform.transport(to: "callee")) {
          [("x-service-authorization", "Bearer \(token)")]
        }
        let refused = try await problem { _ = try await forged.send(ServicePair.Callee.Notify()) }
        #expect(refused?.code == "token-invalid", "\(name)")
      }
    }
  }

  /// While calls go on, caller changes its key; the old one ends when nothing that it signed is valid any more.
  @Test func aRotationFailsNoCall() async throws {
    try await ServicePair.run { pair async throws in
      func call(_ count: Int) async throws {
        let answers = try await concurrently(0..<count) { _ in try await pair.client.send(ServicePair.Callee.Ask()) }
        #expect(answers == Array(repeating: "caller", count: count))
      }
      try await call(20)
      let path = "\(pair.caller.folder)/service-keys-caller"
      let before = try #require(ServiceKeyRing(text: String(contentsOfFile: path, encoding: .utf8)))
      let settings = Settings(["data": pair.caller.folder])
      let from = try ServiceKeys.rotate("caller", settings, announced: 60, atOnce: false, at: pair.time.source.now())
      #expect(from == pair.time.source.now().advanced(bySeconds: 60))
      let after = try #require(ServiceKeyRing(text: String(contentsOfFile: path, encoding: .utf8)))
      #expect(after.pairs.count == 2)
      let keys = pair.callee.platform.identity
      let old = try signed(by: before.pairs[0], pair)
      #expect(try await keys.verify(old[...], audience: "callee") == "caller")
      // As both do every ten seconds.
      for step in 0..<80 {
        if step % 2 == 0 { try await pair.caller.platform.refreshServiceKeys() }
        if step % 3 == 0 { try await pair.callee.platform.refreshServiceKeys() }
        try await call(5)
        pair.time.advance(seconds: 10)
      }
      try await pair.caller.platform.refreshServiceKeys()
      try await pair.callee.platform.refreshServiceKeys()
      try await call(5)
      // The old key is no longer known, whatever it signs.
      let late = try signed(by: before.pairs[0], pair)
      await #expect(throws: Problem.self) { _ = try await keys.verify(late[...], audience: "callee") }
      let new = try signed(by: after.pairs[1], pair)
      #expect(try await keys.verify(new[...], audience: "callee") == "caller")
    }
  }

  /// A token signed by a stolen key is refused as soon as the others have asked again, also one that is known already.
  @Test func aStolenKeyIsForgotten() async throws {
    try await ServicePair.run { pair async throws in
      let path = "\(pair.caller.folder)/service-keys-caller"
      let stolen = try #require(ServiceKeyRing(text: String(contentsOfFile: path, encoding: .utf8))).pairs[0]
      let keys = pair.callee.platform.identity
      let token = try signed(by: stolen, pair)
      #expect(try await keys.verify(token[...], audience: "callee") == "caller")
      let settings = Settings(["data": pair.caller.folder])
      _ = try ServiceKeys.rotate("caller", settings, announced: 60, atOnce: true, at: pair.time.source.now())
      try await pair.caller.platform.refreshServiceKeys()
      try await pair.callee.platform.refreshServiceKeys()
      #expect(try await pair.client.send(ServicePair.Callee.Ask()) == "caller")
      await #expect(throws: Problem.self) { _ = try await keys.verify(token[...], audience: "callee") }
    }
  }

  private func signed(by key: ServiceKeyRing.Pair, _ pair: ServicePair.Running) throws -> String {
    let now = pair.time.source.now().unixSeconds
    return try ServiceToken.sign(.init(sub: "caller", aud: "callee", iat: now, exp: now + 60), by: key)
  }

  /// Private keys stay where they are: what anyone can read is public.
  @Test func keySetsHoldPublicKeysOnly() async throws {
    try await ServicePair.run { pair async throws in
      try await CurlClient.running { http in
        let response = try await http.send(
          ClientRequest(origin: pair.calleeURL, target: "/internal/v1/service-keys"))
        #expect(response.status == 200)
        let text = String(decoding: try await response.body.collect(upTo: 65_536), as: UTF8.self)
        #expect(text.contains(#""kty":"EC""#))
        #expect(!text.contains(#""d":"#))
      }
    }
  }
}
