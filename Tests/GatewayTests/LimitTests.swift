import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import Persistence
import RedisClient
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Limits that callers cannot get around by more accounts, more addresses of one network, or forged tokens.
@Suite(.serialized)
struct LimitTests {
  private static let few = ["limits.read": "3/60", "limits.addressFactor": "4"]

  // MARK: who pays

  /// The attack of which a caller makes many guests, each with an allowance of its own.
  @Test func guestsOfAnAddressShareOneAllowance() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      var statuses: [Int] = []
      for _ in 0..<5 { statuses += try await edge.statuses(1, from: "192.0.2.1", token: edge.guest()) }
      #expect(statuses == [200, 200, 200, 429, 429])
      #expect(try await edge.statuses(1, from: "192.0.2.1") == [429])
      #expect(try await edge.statuses(1, from: "192.0.2.2", token: edge.guest()) == [200])
    }
  }

  /// The same with accounts: the address has four times what a user has.
  @Test func theUsersOfAnAddressShareALargerAllowance() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      var statuses: [Int] = []
      for name in ["ada", "bob", "cleo", "dora", "emil"] {
        statuses += try await edge.statuses(3, from: "192.0.2.1", token: edge.user(name))
      }
      #expect(statuses == Array(repeating: 200, count: 12) + [429, 429, 429])
      let refused = try await edge.send(from: "192.0.2.1", token: edge.user("fred"))
      #expect(refused.headers[EdgeClient.name("RateLimit-Policy")] == "\"read-network\";q=12;w=60")
      #expect(refused.headers[.retryAfter] == "5")
    }
  }

  @Test func aUserPaysFromEveryAddress() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      let ada = try await edge.user("ada")
      var statuses: [Int] = []
      for number in 1...5 { statuses += try await edge.statuses(1, from: "192.0.2.\(number)", token: ada) }
      #expect(statuses == [200, 200, 200, 429, 429])
    }
  }

  /// Callers without a token use up only their own part of what a network has.
  @Test func anonymousFloodsLeaveTheUsersOfTheirNetworkAlone() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      let flood = try await edge.statuses(40, from: "192.0.2.1")
      #expect(flood == [200, 200, 200] + Array(repeating: 429, count: 37))
      #expect(try await edge.statuses(3, from: "192.0.2.1", token: edge.user("ada")) == [200, 200, 200])
    }
  }

  @Test func anIPv6NetworkIsOneCaller() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      var statuses: [Int] = []
      for number in 1...4 { statuses += try await edge.statuses(1, from: "2001:db8:1:2:\(number)::\(number)") }
      #expect(statuses == [200, 200, 200, 429])
      #expect(try await edge.statuses(1, from: "2001:db8:1:3::1") == [200])
      // One IPv4 address in its three spellings.
      var mapped: [Int] = []
      for address in ["198.51.100.7", "::ffff:198.51.100.7", "::FFFF:c633:6407", "[::ffff:c633:6407]:4711"] {
        mapped += try await edge.statuses(1, from: address)
      }
      #expect(mapped == [200, 200, 200, 429])
    }
  }

  /// Addresses that a caller writes into the field precede those that the proxies append.
  @Test func addressesAreNotInvented() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      var statuses: [Int] = []
      for number in 1...4 { statuses += try await edge.statuses(1, from: "10.9.8.\(number), 192.0.2.1, 127.0.0.9") }
      #expect(statuses == [200, 200, 200, 429])
    }
    // Without a trusted proxy, the field counts for nothing.
    try await EdgeClient.run(Self.few.merging(["http.trustedProxies": "10.0.0.0/8"]) { $1 }) { edge async throws in
      var statuses: [Int] = []
      for number in 1...4 { statuses += try await edge.statuses(1, from: "192.0.2.\(number)") }
      #expect(statuses == [200, 200, 200, 429])
    }
  }

  // MARK: tokens

  @Test func forgedTokensCostTheirAddress() async throws {
    try await EdgeClient.run(["limits.read": "3/60", "limits.addressFactor": "1"]) { edge async throws in
      let ada = try await edge.user("ada")
      let signature = ada.split(separator: ".")[2]
      let forged = ada.replacing(signature, with: signature.reversed())
      #expect(try await edge.statuses(3, from: "192.0.2.1", token: forged) == [200, 200, 200])
      // The user whose token it was has paid nothing.
      #expect(try await edge.statuses(3, from: "192.0.2.2", token: ada) == [200, 200, 200])
      let refused = try await edge.send(from: "192.0.2.1", token: forged)
      #expect(refused.status == 429)
      #expect(refused.limitClass == "read")
    }
  }

  /// The attack that uses up what the users of a network have, by tokens that are no proof of anything. The gateway has
  /// verified other tokens of ada's session, so it looks at her new one.
  @Test func forgedTokensTakeNothingFromTheUsersOfTheirNetwork() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      let session = try await edge.test.client.signUp("ada")
      #expect(try await edge.statuses(1, from: "192.0.2.2", token: session.accessToken) == [200])
      for number in 0..<40 { _ = try await edge.statuses(1, from: "192.0.2.1", token: "forged.\(number).token") }
      let flood = try await edge.send(from: "192.0.2.1", token: "forged.again.token")
      #expect(flood.status == 429)
      #expect(flood.limitClass == "read-unverified")
      let next = try await edge.test.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken)).accessToken
      #expect(try await edge.statuses(3, from: "192.0.2.1", token: next) == [200, 200, 429])
    }
  }

  @Test func guestsTakeNothingFromTheUsersOfTheirNetwork() async throws {
    try await EdgeClient.run(Self.few) { edge async throws in
      let guest = try await edge.guest()
      #expect(try await edge.statuses(40, from: "192.0.2.1", token: guest).count { $0 == 200 } == 3)
      for name in ["ada", "bob", "cleo"] {
        #expect(try await edge.statuses(3, from: "192.0.2.1", token: edge.user(name)) == [200, 200, 200])
      }
    }
  }

  /// Whoever has seen the ID of a session can forge one token with it: after that, the network pays first again.
  @Test func aForgedTokenOfAKnownSessionIsVerifiedOnce() throws {
    func claims(_ session: SessionID, exp: Int64) throws -> KnownSessions.Claims? {
      let payload = Base64URL.encode(Array(#"{"sid":"\#(session)","exp":\#(exp)}"#.utf8))
      return KnownSessions.Claims("head.\(payload).signature")
    }
    let (sessions, now) = (KnownSessions(capacity: 10), Timestamp.example)
    let ids = IDGenerator()
    let ada = ids.make(SessionID.self)
    let valid = try #require(try claims(ada, exp: now.unixSeconds + 60))
    #expect(valid.sid == ada)
    #expect(!sessions.contain(valid, at: now))
    sessions.add(ada, at: now)
    #expect(sessions.contain(valid, at: now))
    // A signature of a token that has expired costs as much as any other.
    #expect(!sessions.contain(try claims(ada, exp: now.unixSeconds), at: now))
    #expect(!sessions.contain(KnownSessions.Claims("no.token"), at: now))
    sessions.remove(ada)
    #expect(!sessions.contain(valid, at: now))
    // Those seen last are kept.
    sessions.add(ada, at: now.advanced(bySeconds: 1))
    for _ in 0..<10 { sessions.add(ids.make(), at: now) }
    #expect(sessions.contain(valid, at: now))
  }

  /// An address that has nothing left is refused before its token is looked at: a token of an unknown key makes the
  /// gateway ask auth for keys, which the clock allows every five seconds.
  @Test func signaturesAreCheckedAfterTheAddressHasPaid() async throws {
    let time = ManualTime()
    try await EdgeClient.run(["limits.read": "2/3600", "limits.addressFactor": "1"], time: time) { edge async throws in
      func forged() -> String {
        let head = Base64URL.encode(Array(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(UUID().uuidString)"}"#.utf8))
        return "\(head).\(Base64URL.encode(Array("{}".utf8))).\(Base64URL.encode([UInt8](repeating: 7, count: 64)))"
      }
      func keyRequests() async throws -> Int {
        let metrics = try await edge.web.http.send(ClientRequest(origin: edge.web.privateURL, target: "/metrics"))
        let text = String(decoding: try await metrics.body.collect(upTo: 10 << 20), as: UTF8.self)
        let line = text.split(separator: "\n").first {
          $0.hasPrefix("http_server_request_duration_seconds_count{service=\"auth\"")
            && $0.contains("/.well-known/jwks.json") && $0.contains("\"200\"")
        }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
      }
      for _ in 0..<2 {
        _ = try await edge.send(from: "192.0.2.1", token: forged())
        time.advance(seconds: 6)
      }
      let asked = try await keyRequests()
      #expect(asked > 0)
      for _ in 0..<30 {
        #expect(try await edge.send(from: "192.0.2.1", token: forged()).status == 429)
        time.advance(seconds: 6)
      }
      // The gateway also asks twice a minute by itself.
      #expect(try await keyRequests() - asked < 15)
    }
  }

  // MARK: classes

  @Test func makingGuestsIsLimitedHard() async throws {
    try await EdgeClient.run(["limits.guests": "3/3600"]) { edge async throws in
      var statuses: [Int] = []
      for number in 1...5 {
        // Other addresses of the same network do not help.
        let address = "2001:db8:5:5::\(number)"
        statuses.append(try await edge.send(.post, "/v1/auth/guest", from: address, body: "{}").status)
      }
      #expect(statuses == [201, 201, 201, 429, 429])
      #expect(try await edge.send(.post, "/v1/auth/guest", from: "192.0.2.9", body: "{}").status == 201)
      // Neither does the token of an account.
      let ada = try await edge.user("ada")
      let signedIn = try await edge.send(.post, "/v1/auth/guest", from: "2001:db8:5:5::9", token: ada, body: "{}")
      #expect(signedIn.status == 429)
      #expect(signedIn.limitClass == "guest")
      let accounts = try await edge.test.database(of: AuthAPI.self).read { try $0.count("SELECT COUNT(*) FROM users") }
      #expect(accounts == 5)
    }
  }

  /// The attack that makes full accounts instead, which are as cheap with only a username.
  @Test func signingUpSharesTheLimitOfGuests() async throws {
    try await EdgeClient.run(["limits.guests": "3/3600"]) { edge async throws in
      var statuses: [Int] = []
      for number in 1...4 {
        let body = #"{"username":"eve\#(number)","password":"correct horse eve"}"#
        let answer = try await edge.send(.post, "/v1/auth/signup", from: "192.0.2.1", body: body)
        #expect(answer.limitClass == "guest")
        statuses.append(answer.status)
      }
      #expect(statuses == [201, 201, 201, 429])
      #expect(try await edge.send(.post, "/v1/auth/guest", from: "192.0.2.1", body: "{}").status == 429)
      #expect(try await edge.send(.post, "/v1/auth/guest", from: "192.0.2.2", body: "{}").status == 201)
      let accounts = try await edge.test.database(of: AuthAPI.self).read { try $0.count("SELECT COUNT(*) FROM users") }
      #expect(accounts == 4)
    }
  }

  /// The attack of a neighbour who uses up what the network has for signing in, or for refreshing.
  @Test func neighboursDoNotStopSessions() async throws {
    let time = ManualTime()
    try await EdgeClient.run(["limits.signIn": "3/3600", "limits.session": "4/3600"], time: time) { edge async throws in
      let here = "192.0.2.1"
      let session = try await edge.test.client.signUp("ada")
      func refresh(_ refreshToken: String, _ token: String? = nil) async throws -> ClientResponse {
        let body = String(decoding: try WireJSON.encode(["refreshToken": refreshToken]), as: UTF8.self)
        return try await edge.send(.post, "/v1/auth/refresh", from: here, token: token, body: body)
      }
      func read(_ response: ClientResponse) async throws -> Authentication {
        try WireJSON.decode(Authentication.self, from: await response.body.collect(upTo: 100_000))
      }
      var statuses: [Int] = []
      for _ in 0..<5 {
        statuses.append(
          try await edge.send(.post, "/v1/auth/login", from: here, body: #"{"login":"eve","password":"wrong"}"#).status)
      }
      #expect(statuses == [401, 401, 401, 429, 429])
      // Those who have signed in notice nothing.
      let first = try await refresh(session.refreshToken)
      #expect(first.status == 200)
      #expect(first.limitClass == "session")
      let second = try await read(first)
      statuses = []
      for _ in 0..<5 { statuses.append(try await refresh("invented").status) }
      #expect(statuses == [401, 401, 401, 429, 429])
      // Neither do those who name their session, when the neighbour invents refresh tokens.
      time.advance(seconds: 901)
      statuses = []
      for _ in 0..<2 { statuses.append(try await refresh("invented").status) }
      #expect(statuses.last == 429)
      let third = try await refresh(second.refreshToken, second.accessToken)
      #expect(third.status == 200)
      let user = try await read(third).accessToken
      #expect(try await edge.send(.post, "/v1/auth/logout", from: here, token: user).status == 204)
      // An unsigned name does not help.
      let parts = second.accessToken.split(separator: ".")
      let forged = "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
      #expect(try await refresh("invented", forged).status == 429)
    }
  }

  @Test func costlyOperationsHaveALimitOfTheirOwn() async throws {
    try await EdgeClient.run(["limits.costly": "2/60"]) { edge async throws in
      let ada = try await edge.user("ada")
      var areRefused: [Bool] = []
      for _ in 0..<3 {
        let response = try await edge.send(.get, "/v1/users/me/export", from: "192.0.2.1", token: ada)
        #expect(response.limitClass == "costly")
        areRefused.append(response.status == 429)
      }
      #expect(areRefused == [false, false, true])
      let other = try await edge.send(.get, "/v1/users/me", from: "192.0.2.1", token: ada)
      #expect(other.status == 200)
      #expect(other.limitClass == "read")
    }
  }

  @Test func costsAreDeclaredInTheContracts() throws {
    let description = try ServiceDescription(of: AuthAPI.self)
    func cost(_ path: String) -> Contracts.Operation.Cost? { description.operations.first { $0.path == path }?.cost }
    #expect(cost("/v1/auth/guest") == .account)
    #expect(cost("/v1/auth/signup") == .account)
    #expect(cost("/v1/users/me/export") == .costly)
    #expect(cost("/v1/auth/login") == .usual)
    // Of an older version of a service, and of a newer one.
    let old = #"{"method":"GET","path":"/a","needsToken":true,"idempotency":"safe","bodyBytes":1,"seconds":1}"#
    #expect(try WireJSON.decode(PublicOperation.self, from: old.utf8).cost == .usual)
    let new = old.dropLast() + #","cost":"priceless"}"#
    #expect(try WireJSON.decode(PublicOperation.self, from: new.utf8).cost == .usual)
  }

  // MARK: Redis

  @Test func allBucketsAreInRedis() async throws {
    try await withRedis { redis in
      let settings = ["limits.read": "3/3600", "limits.addressFactor": "2", "redis.url": redis]
      try await EdgeClient.run(settings, time: nil) { edge async throws in
        let client = RedisClient(try #require(RedisAddress(redis)), timeout: Waiting.limit)
        func keys() async throws -> Set<String> {
          guard case .list(let replies) = try await client.send(["KEYS", "*"]) else { return [] }
          return Set(replies.compactMap(\.text))
        }
        let ada = try await edge.test.client.signUp("ada").user.id
        try await eventually("the buckets are in Redis") {
          // Redis may have been too slow for the gateway, which asks for the first bucket once in a session.
          let session = try await edge.test.client.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
          _ = try await edge.send(from: "2001:db8::1", token: session.accessToken)
          return try await keys() == [
            "quintet:limit:read unverified 20:1:d:b8:0:0:0:0", "quintet:limit:read network 20:1:d:b8:0:0:0:0",
            "quintet:limit:read user \(ada)",
          ]
        }
        await client.close()
      }
    }
  }

  @Test func redisStopsAtTheFirstBucketThatRefuses() async throws {
    try await withRedis { redis in
      let client = RedisClient(try #require(RedisAddress(redis)), timeout: Waiting.limit)
      let buckets = RedisBuckets(client)
      let (one, two) = (try #require(RateLimit("1/3600")), try #require(RateLimit("2/3600")))
      func take(_ limits: [(key: String, limit: RateLimit)]) async throws -> [Bool] {
        try await buckets.take(limits, at: .example).map(\.isAllowed)
      }
      #expect(try await take([("a", one), ("b", two)]) == [true, true])
      #expect(try await take([("a", one), ("b", two)]) == [false])
      #expect(try await take([("b", two)]) == [true])
      #expect(try await take([("c", one), ("b", two)]) == [true, false])
      await client.close()
    }
  }

  // MARK: memory

  /// Whoever invents networks does not make the gateway forget that theirs has used up everything.
  @Test func inventedNetworksDoNotWashOthersAway() throws {
    let buckets = LocalBuckets(maxCount: 1000)
    let limit = try #require(RateLimit("5/3600"))
    for _ in 0..<5 { #expect(buckets.take("attacker", limit, at: .example).isAllowed) }
    #expect(!buckets.take("attacker", limit, at: .example).isAllowed)
    for number in 0..<10_000 { _ = buckets.take("invented \(number)", limit, at: .example) }
    #expect(!buckets.take("attacker", limit, at: .example).isAllowed)
  }
}
