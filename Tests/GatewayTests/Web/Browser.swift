import Contracts
import CurlClient
import Foundation
import HTTPTypes
import Synchronization
import TestKit

/// A browser that calls the gateway as the pages of an app do, with a cookie jar.
final class Browser: Sendable {
  struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var text: String

    var json: JSONValue { get throws { try WireJSON.decode(JSONValue.self, from: text.utf8) } }
    var code: String? { (try? json)?["code"]?.string }
    /// The names of the cookies that are removed.
    var removed: [String] {
      headers[values: .setCookie].filter { $0.contains("Max-Age=0") }.compactMap {
        $0.split(separator: "=").first.map { String($0) }
      }
    }
  }

  let app: String
  private let origins: [String]
  private let http: CurlClient
  private let jar: Mutex<[String: String]>

  /// - Parameter origins: Of gateways, which take turns.
  init(_ app: String, _ origins: [String], _ http: CurlClient, cookies: [String: String] = [:]) {
    (self.app, self.origins, self.http) = (app, origins, http)
    jar = Mutex(cookies)
  }

  convenience init(_ app: String, _ web: TestPlatform.Web, cookies: [String: String] = [:]) {
    self.init(app, [web.url], web.http, cookies: cookies)
  }

  var cookies: [String: String] { jar.withLock { $0 } }

  /// - Parameters:
  ///   - path: Behind `/web/{app}`, or the whole path.
  ///   - others: Header fields to add, to replace, or, if `nil`, to leave out.
  ///   - gateway: The number of the gateway.
  func send(
    _ method: HTTPRequest.Method = .get, _ path: String, _ body: String? = nil, headers others: [String: String?] = [:],
    gateway: Int = 0
  ) async throws -> Answer {
    var fields: [String: String] = ["Sec-Fetch-Site": "same-origin"]
    if method != .get, method != .head { fields["Quintet-App"] = app }
    if body != nil { fields["Content-Type"] = "application/json" }
    let pairs = jar.withLock { $0.map { "\($0.key)=\($0.value)" }.sorted() }
    if !pairs.isEmpty { fields["Cookie"] = pairs.joined(separator: "; ") }
    for (name, value) in others { fields[name] = value }
    var headers = HTTPFields()
    // Not `headers[name] = value`, which takes cookies apart where `Character` sees a semicolon.
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    let target = path.hasPrefix("/v1/") || path.hasPrefix("/session") ? "/web/\(app)\(path)" : path
    let response = try await http.send(
      ClientRequest(
        method, origin: origins[gateway], target: target, headers: headers,
        body: body.map { .bytes(Array($0.utf8)) } ?? .none))
    let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
    keep(response.headers[values: .setCookie])
    return Answer(status: response.status, headers: response.headers, text: text)
  }

  private func keep(_ lines: [String]) {
    jar.withLock { jar in
      for line in lines {
        let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        jar[String(pair[0])] = line.contains("Max-Age=0") ? nil : String(pair[1])
      }
    }
  }

  // MARK: as users

  @discardableResult
  func signUp(_ name: String) async throws -> Answer {
    try await send(
      .post, "/v1/auth/signup",
      #"{"email":"\#(name)@example.com","username":"\#(name)","password":"\#(Self.password)"}"#)
  }

  func logIn(_ name: String) async throws -> Answer {
    try await send(.post, "/v1/auth/login", #"{"login":"\#(name)","password":"\#(Self.password)"}"#)
  }

  static let password = "correct horse of browsers"

  /// The user who is signed in, by the session.
  func user() async throws -> String? {
    let answer = try await send(.get, "/session")
    return try answer.json["user"]?["username"]?.string
  }
}
