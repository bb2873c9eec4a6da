import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// No answer that grants tokens reaches a page with them: by the contracts, not by a list.
struct WebBodiesTests {
  private static let secrets: Set = ["accessToken", "refreshToken", "deviceSecret", "access_token", "refresh_token"]

  private struct Described {
    var path: String
    var method: String
    var operation: JSONValue
  }

  private let document: JSONValue
  private let operations: [Described]

  init() throws {
    document = try ServiceDescription(of: AuthAPI.self).openAPI
    operations = (document["paths"]?.members ?? []).flatMap { path in
      path.value.members.map { Described(path: path.name, method: $0.name, operation: $0.value) }
    }.filter { !$0.path.hasPrefix("/internal/") }
  }

  private func schema(_ reference: JSONValue?) -> JSONValue? {
    guard let name = reference?["$ref"]?.string?.split(separator: "/").last else { return reference }
    return document["components"]?["schemas"]?[String(name)]
  }

  /// An object with a value for every property.
  private func example(_ reference: JSONValue?, depth: Int = 0) -> JSONValue {
    guard let schema = schema(reference), depth < 6 else { return .null }
    if let properties = schema["properties"]?.members, !properties.isEmpty {
      return .object(properties.map { .init(name: $0.name, value: example($0.value, depth: depth + 1)) })
    }
    if let items = schema["items"] { return .array([example(items, depth: depth + 1)]) }
    return .string("value of \(depth)")
  }

  private func names(_ value: JSONValue) -> Set<String> {
    let inside = value.members.map(\.value) + value.elements
    return inside.reduce(Set(value.members.map(\.name))) { $0.union(names($1)) }
  }

  @Test func answersThatGrantTokensLoseThem() throws {
    var granting: [String] = []
    for described in operations {
      for response in described.operation["responses"]?.members ?? [] {
        guard let body = response.value["content"]?["application/json"]?["schema"] else { continue }
        let answer = example(body)
        let hasSecrets = !names(answer).isDisjoint(with: Self.secrets)
        let taken = WebGrant.take(from: answer)
        #expect((taken != nil) == hasSecrets, "\(described.path)")
        guard let taken else { continue }
        granting.append(described.path)
        #expect(described.path.hasPrefix("/v1/auth/"), "\(described.path) is not looked at")
        let rest = names(taken.rest)
        #expect(rest.isDisjoint(with: Self.secrets.union(["tokenType"])), "\(described.path)")
        #expect(
          rest.isSuperset(
            of: names(answer).subtracting(Self.secrets).subtracting([
              "tokenType", "expiresIn", "token_type", "expires_in",
            ])))
      }
    }
    #expect(Set(granting).isSuperset(of: ["/v1/auth/login", "/v1/auth/signup", "/v1/auth/proof", "/v1/auth/passkeys"]))
  }

  @Test func noOtherServiceGrantsTokens() throws {
    for api in [CatalogAPI.self, OrdersAPI.self, MatchingAPI.self, MediaAPI.self, StudyAPI.self, GatewayAPI.self]
      as [any ServiceAPI.Type]
    {
      let schemas = try ServiceDescription(of: api).openAPI["components"]?["schemas"] ?? .null
      for schema in schemas.members {
        let properties = Set((schema.value["properties"]?.members ?? []).map(\.name))
        #expect(properties.isDisjoint(with: Self.secrets), "\(api.name) \(schema.name)")
      }
    }
  }

  @Test func bodiesOfSignInsAreCompletedWhereTheContractsHaveAPlace() throws {
    let hidden = ["/v1/auth/refresh", "/v1/auth/token"]
    for described in operations where described.method == "post" && !hidden.contains(described.path) {
      let body = schema(described.operation["requestBody"]?["content"]?["application/json"]?["schema"])
      let properties = Set((body?["properties"]?.members ?? []).map(\.name))
      var expected: Set<WebBodies.Field> = []
      if described.path.hasPrefix("/v1/auth/") {
        if properties.contains("app") { expected.insert(.app) }
        if properties.contains("guestRefreshToken") { expected.insert(.guest) }
        if properties.contains("refreshToken") { expected.insert(.refreshToken) }
        if properties.contains("deviceSecret") { expected.insert(.deviceSecret) }
      } else {
        #expect(properties.isDisjoint(with: Self.secrets), "\(described.path)")
      }
      let path = described.path.replacing("{provider}", with: "google").replacing(/\{[a-z]+\}/, with: "1")
      #expect(WebBodies.fields(of: path[...]) ?? [] == expected, "\(described.path)")
    }
  }

  @Test func whatAPageSendsInThesePlacesIsReplaced() throws {
    let sent = #"{"login":"ada","app":"web","guest":"a","refreshToken":"b","deviceSecret":"c"}"#
    let body = try WebBodies.complete(
      Array(sent.utf8), [.app, .guest, .deviceSecret],
      with: .init(app: .keepfit, guest: ("t", "r"), refreshToken: "mine", deviceSecret: nil))
    let members = try WireJSON.decode([String: String].self, from: body)
    #expect(members == ["login": "ada", "app": "keepfit", "guest": "t", "guestRefreshToken": "r"])
    for bad in ["", "[]", "null", "1", "{", "{}{}"] {
      #expect(throws: Problem.self, "\(bad)") {
        try WebBodies.complete(Array(bad.utf8), [.app], with: .init(app: .web))
      }
    }
  }
}
