import Contracts
import Crypto
import Foundation
import TestKit
import Testing

@testable import ServiceKit

/// Access tokens and tokens of services that are almost valid: only those that their issuer has signed are accepted, and
/// only for what they say.
@Suite(.long)
struct TokenFuzzTests {
  private static let words = [
    "\"alg\":\"none\"", "\"alg\":\"HS256\"", "\"alg\":\"ES256\"", "\"ES256\"", "\"crit\":[\"x\"]", "\"kid\":\"k\"",
    "\"typ\":\"at+jwt\"", "\"jwk\":{}", "\"x5c\":[\"AA==\"]", "\"iss\":\"quintet\"", "\"exp\":9223372036854775807",
    "\"exp\":-9223372036854775808", "\"iat\":-9223372036854775808", "\"aud\":\"web\"", "null", "[]", "{}", "{", "}",
    ".",
    "=", "\"", ",", "\\u0000", "true",
  ]
  private static let header = #"{"alg":"ES256","kid":"k","typ":"at+jwt"}"#

  private struct Claims: Decodable {
    var iss: String
    var sub: String
    var iat: Int64
    var exp: Int64
  }

  private let time = ManualTime()
  private let key = P256.Signing.PrivateKey()

  private func claims(_ change: String = "") -> String {
    let now = time.source.now().unixSeconds
    let id = ID<Self>.example.rawValue
    return #"{"iss":"quintet","sub":"\#(id)","aud":"web","sid":"\#(id)","scope":"account shop","roles":["user"],"#
      + #""iat":\#(now),"exp":\#(now + 900),"jti":"1"\#(change)}"#
  }

  private func token(_ header: some Sequence<UInt8>, _ claims: some Sequence<UInt8>) throws -> String {
    let content = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
    return "\(content).\(Base64URL.encode(try key.signature(for: Data(content.utf8)).rawRepresentation))"
  }

  /// An input, and whether it was signed as it is.
  private struct Candidate {
    var text: String
    var isSigned: Bool
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// Changes a token: its text, the last character of a part, which has unused bits, its header or its claims; what was
  /// changed in these is signed again every fourth time.
  private func candidate(
    _ input: [UInt8], _ genuine: [String], _ parts: FuzzCorpus, _ random: inout SeededGenerator
  ) throws -> Candidate {
    if random.below(2) == 0 { return Candidate(text: String(decoding: input, as: UTF8.self), isSigned: false) }
    var pieces = genuine[random.below(genuine.count)].split(separator: ".").map { String($0) }
    if random.below(8) == 0 {
      let index = random.below(pieces.count)
      pieces[index] = String(pieces[index].dropLast()) + String(Self.alphabet[random.below(64)])
      return Candidate(text: pieces.joined(separator: "."), isSigned: false)
    }
    let part = parts.input(&random)
    if random.below(4) > 0 {
      pieces[random.below(2)] = Base64URL.encode(part)
      return Candidate(text: pieces.joined(separator: "."), isSigned: false)
    }
    let isHeader = random.below(2) == 0
    let text = isHeader ? try token(part, claims().utf8) : try token(Self.header.utf8, part)
    return Candidate(text: text, isSigned: true)
  }

  @Test func accessTokensAreTheIssuers() async throws {
    let point = key.publicKey.rawRepresentation
    let set = JSONWebKeySet(keys: [
      .init(kid: "k", x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32)))
    ])
    let verifier = TokenVerifier(time: time.source) { set }
    let more = [
      "", #","ent":["unlimitedSets"],"auth_time":1,"amr":["pwd","otp"],"awaits_guardian":true"#, #","client_id":"c""#,
    ]
    let genuine = try more.map { try token(Self.header.utf8, claims($0).utf8) }
    for token in genuine { _ = try await verifier.verify(token[...]) }
    let parts = FuzzCorpus([Self.header] + more.map { claims($0) }, words: Self.words, separators: "{}[]\",:. ")
    let corpus = FuzzCorpus(genuine, words: Self.words, separators: ".")
    try await Fuzzer("jwt", corpus, inputs: 5_000, clock: .process).run { input, random in
      let candidate = try candidate(input, genuine, parts, &random)
      let caller: UserCaller
      do { caller = try await verifier.verify(candidate.text[...]) } catch let problem as Problem {
        try confirm(problem.status == 401, "\(candidate.text) is answered with \(problem.status)")
        return false
      }
      try confirm(candidate.isSigned || genuine.contains(candidate.text), "a forgery is accepted: \(candidate.text)")
      let pieces = candidate.text.split(separator: ".").map { Base64URL.decode($0) ?? [] }
      let claims = try JSONDecoder().decode(Claims.self, from: Data(pieces[1]))
      let now = time.source.now().unixSeconds
      try confirm(claims.iss == "quintet" && claims.sub.lowercased() == caller.id.rawValue, "\(claims)")
      try confirm(claims.exp > now && claims.exp - claims.iat <= 3600 && claims.iat <= now + 5, "\(claims) at \(now)")
      return true
    }
  }

  @Test func serviceTokensAreOfTheirService() async throws {
    let ring = ServiceKeyRing.random()
    let now = time.source.now().unixSeconds
    let genuine = try ["auth", "orders"].map { audience in
      try ServiceToken.sign(.init(sub: "catalog", aud: audience, iat: now, exp: now + 60), by: ring.pairs[0])
    }
    let claims = #"{"sub":"catalog","aud":"auth","iat":1,"exp":2}"#
    let header = Self.header.replacing("at+jwt", with: ServiceToken.type)
    let parts = FuzzCorpus([header, claims], words: Self.words, separators: "{}[]\",:. ")
    let corpus = FuzzCorpus(genuine, words: Self.words, separators: ".")
    let publicKey = ring.pairs[0].key.publicKey
    try await Fuzzer("service-token", corpus, inputs: 5_000).run { input, random in
      let candidate = try candidate(input, genuine, parts, &random)
      guard let token = ServiceToken(candidate.text[...]) else { return false }
      try confirm(
        token.isSigned(by: publicKey) == genuine.contains(candidate.text), "a forgery is accepted: \(candidate.text)")
      return true
    }
  }
}
