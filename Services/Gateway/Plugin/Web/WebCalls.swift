import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ServiceKit
import WebClient

/// Calls of pages: the public API below `/web/{app}`, with the session of the app's cookie instead of a token.
struct WebCalls: Sendable {
  let cookies: WebCookies
  let tokens: WebTokens
  let logger: Logger

  /// A request with what its path says.
  private struct Call {
    var app: WebApp
    var request: Request
    /// Behind `/web/{app}`, without the query.
    var path: Substring
    /// The same with the query.
    var target: Substring
  }

  static let prefix = "/web/"
  private static let session = "/session"
  private static let logOut = Substring("/v1/auth/logout")
  /// The maximum of requests and responses of auth, in bytes.
  private static let maxBody = 64 << 10
  private static let maxAnswer = 4 << 20

  static func isCall(_ path: String) -> Bool { path.hasPrefix(prefix) }

  /// - Parameter own: The app whose host was asked, which has no other.
  func intercept(_ request: Request, on own: WebApp?) async -> Interception {
    do throws(Problem) {
      let call = try Self.admit(request, on: own)
      switch (call.path, request.method) {
      case (Substring(Self.session), .get): return try await show(call)
      case (Substring(Self.session), .post): return try await show(call, renews: true)
      case (Substring(Self.session), .delete): return try await end(call)
      case (Substring(Self.session), _): throw Problem(.methodNotAllowed)
      case (Self.logOut, .post): return try await end(call)
      default: return try await pass(call)
      }
    } catch {
      return .answered(.failure(error))
    }
  }

  /// Refuses what other sites, and pages of other apps, could make a browser send.
  private static func admit(_ request: Request, on own: WebApp?) throws(Problem) -> Call {
    let full = request.head.path ?? "/"
    let rest = full.dropFirst(prefix.count)
    let name = rest.prefix { $0 != "/" && $0 != "?" }
    guard let app = WebApp(rawValue: String(name)), own == nil || own == app else { throw Problem(.notFound) }
    guard request.headers[values: .secFetchSite] == ["same-origin"] else {
      throw Problem(.forbidden, detail: "Only pages of the same origin may call this.")
    }
    let isRead = request.method == .get || request.method == .head
    guard isRead || request.headers[values: .quintetApp] == [app.rawValue] else {
      throw Problem(.forbidden, detail: "The header Quintet-App must name the app.")
    }
    let target = rest.dropFirst(name.count)
    let path = target.prefix { $0 != "?" }
    guard path == session || path.hasPrefix("/v1/"), !hidden.contains(path) else { throw Problem(.notFound) }
    return Call(app: app, request: request, path: path, target: target)
  }

  /// Operations for clients that keep tokens themselves.
  private static let hidden: Set<Substring> = ["/v1/auth/refresh", "/v1/auth/token"]

  // MARK: calls

  private func pass(_ call: Call) async throws(Problem) -> Interception {
    var head = Self.head(of: call.request, call.target)
    let isOfAuth = call.path.hasPrefix("/v1/auth/")
    let reading = cookies.session(of: call.app, in: call.request.headers)
    let fields = call.request.method == .post ? WebBodies.fields(of: call.path) : nil
    let signsIn = fields.map { !$0.contains(.refreshToken) } ?? false
    // A sign-in needs no session, and one that has ended must not prevent it.
    if !signsIn, case .session(let session, _) = reading {
      do throws(Problem) {
        head.headerFields[.authorization] = "Bearer \(try await tokens.token(of: session))"
      } catch {
        guard error.status == 401 else { throw error }
        throw error.with(header: "Set-Cookie", cookies.removal(of: call.app).value)
      }
    }
    var body = call.request.body
    if let fields { body = Self.body(try await complete(call, fields, reading), of: &head) }
    // A response that is changed on its way must not be compressed before.
    if isOfAuth { head.headerFields[.acceptEncoding] = nil }
    let changesBody = isOfAuth && head.method != .head
    return .replaced(Request(head: head, body: body)) { response in
      var response = response
      if changesBody { await takeTokens(from: &response, reading, call.app) }
      finish(&response, reading, call)
      return response
    }
  }

  /// The head of a request as services know it, without a token.
  private static func head(of request: Request, _ target: Substring) -> HTTPRequest {
    var head = request.head
    head.path = String(target)
    for name in [HTTPField.Name.cookie, .authorization, .quintetApp] { head.headerFields[name] = nil }
    return head
  }

  private static func body(_ bytes: [UInt8], of head: inout HTTPRequest) -> RequestBody {
    head.headerFields[.transferEncoding] = nil
    head.headerFields[.contentLength] = String(bytes.count)
    return RequestBody(buffer: ByteBuffer(bytes: bytes))
  }

  private func finish(_ response: inout Response, _ reading: WebCookies.Reading, _ call: Call) {
    // A browser has one cache for all who use it.
    if response.headers[.cacheControl]?.contains("no-store") != true {
      response.headers.append(HTTPField(name: .vary, value: "Cookie"))
    }
    if let location = response.headers[.location] { response.headers[.location] = Self.replaced(location, call) }
    // Nor may a cache that others share keep it, or its cookie: not all of them heed `Vary`.
    if let caching = response.headers[.cacheControl] {
      response.headers[.cacheControl] = caching.replacing("public", with: "private")
    }
    if !response.headers.contains(.setCookie), reading == .unreadable {
      response.headers.append(cookies.removal(of: call.app))
    }
    if response.headers.contains(.setCookie) { response.headers[.cacheControl] = "no-store" }
  }

  /// The location of something new, such as an upload, as the page reaches it.
  private static func replaced(_ location: String, _ call: Call) -> String {
    var path = location[...]
    if let scheme = path.firstRange(of: "://") {
      let rest = path[scheme.upperBound...]
      guard rest.prefix(while: { $0 != "/" }) == call.request.head.authority ?? "" else { return location }
      path = rest.drop { $0 != "/" }
    }
    return path.hasPrefix("/v1/") ? "\(prefix)\(call.app.rawValue)\(path)" : location
  }

  private func set(_ session: WebSession, _ app: WebApp, _ response: inout Response) {
    do { response.headers.append(try cookies.field(session, of: app)) } catch {
      logger.error("cannot seal a cookie", metadata: ["error": "\(error)"])
    }
  }

  // MARK: signing in

  /// - Returns: The body of a sign-in with what the page does not send.
  private func complete(_ call: Call, _ fields: Set<WebBodies.Field>, _ reading: WebCookies.Reading)
    async throws(Problem) -> [UInt8]
  {
    var values = WebBodies.Values(app: call.app.clientApp)
    values.deviceSecret = cookies.deviceSecret(in: call.request.headers)
    if case .session(let session, _) = reading {
      values.refreshToken = session.refreshToken
      // A guest whose session has ended has no cart to take along.
      if fields.contains(.guest), session.isGuest, let token = try? await tokens.token(of: session) {
        values.guest = (token, session.refreshToken)
      }
    }
    let body: (bytes: ByteBuffer, isComplete: Bool)
    do { body = try await ReceivedBody(call.request.body).begin(Self.maxBody) } catch {
      throw error as? Problem ?? Problem(.malformedRequest)
    }
    guard body.isComplete else {
      throw ForwardedBody.tooLarge(Self.maxBody).with(header: "Connection", "close")
    }
    return try WebBodies.complete(Array(buffer: body.bytes), fields, with: values)
  }

  /// Keeps the tokens of an answer, which the page does not get.
  private func takeTokens(from response: inout Response, _ reading: WebCookies.Reading, _ app: WebApp) async {
    guard (200..<300).contains(response.status.code), response.headers[.contentType]?.contains("json") == true else {
      return
    }
    guard let bytes = try? await Array(buffer: response.body.collect(upTo: Self.maxAnswer)) else {
      return response.become(Problem(.upstreamFailed))
    }
    response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    guard let answer = try? WireJSON.decode(JSONValue.self, from: bytes),
      let (rest, grant) = WebGrant.take(from: answer)
    else { return }
    guard let encoded = try? WireJSON.encode(rest) else { return response.become(Problem(.upstreamFailed)) }
    response.become(response.status, encoded)
    if let grant, !keep(grant, reading, app, &response) { response.become(Problem(.upstreamFailed)) }
  }

  /// - Returns: Whether the grant is one for the app.
  private func keep(_ grant: WebGrant, _ reading: WebCookies.Reading, _ app: WebApp, _ response: inout Response) -> Bool
  {
    guard let claims = WebTokens.Claims(grant.accessToken), claims.aud == app.clientApp else {
      logger.error("auth has granted a token of another app", metadata: ["app": "\(app.rawValue)"])
      return false
    }
    var session: WebSession
    switch (grant.refreshToken, reading) {
    case (let refreshToken?, _):
      session = WebSession(
        refreshToken: refreshToken, session: claims.sid, issuedAt: claims.iat, isGuest: grant.isGuest)
    case (nil, .session(let known, _)) where known.session == claims.sid:
      session = known
      session.issuedAt = claims.iat
    default: return false
    }
    tokens.keep(grant.accessToken)
    set(session, app, &response)
    if let secret = grant.deviceSecret, let field = try? cookies.field(deviceSecret: secret) {
      response.headers.append(field)
    }
    return true
  }

  // MARK: the session itself

  /// - Parameter renews: Whether the roles and rights of the token shall be those of now.
  private func show(_ call: Call, renews: Bool = false) async throws(Problem) -> Interception {
    let reading = cookies.session(of: call.app, in: call.request.headers)
    guard case .session(var session, let isCurrent) = reading else {
      return .answered(.success(signedOut(call, removesCookie: reading == .unreadable)))
    }
    let token: String
    do throws(Problem) {
      token = renews ? try await tokens.renew(session) : try await tokens.token(of: session)
    } catch {
      guard error.status == 401 else { throw error }
      return .answered(.success(signedOut(call, removesCookie: true)))
    }
    if renews, let issuedAt = WebTokens.Claims(token)?.iat { session.issuedAt = issuedAt }
    var head = Self.head(of: call.request, "/v1/users/me")
    head.method = .get
    let body = Self.body([], of: &head)
    for name in [HTTPField.Name.acceptEncoding, .ifNoneMatch, .ifMatch] { head.headerFields[name] = nil }
    head.headerFields[.authorization] = "Bearer \(token)"
    let shown = WebCookies.Reading.session(session, isCurrent: isCurrent && !renews)
    return .replaced(Request(head: head, body: body)) { response in
      if response.status == .unauthorized { return signedOut(call, removesCookie: true) }
      var response = response
      if response.status == .ok {
        if let user = try? await Array(buffer: response.body.collect(upTo: Self.maxAnswer)) {
          response.become(.ok, Array(#"{"isSignedIn":true,"user":"#.utf8) + user + Array("}".utf8))
        } else {
          response.become(Problem(.upstreamFailed))
        }
      }
      // The platform's keys have been rotated, or the token is newer. Answers to other calls leave the cookie as it is: a
      // late one would undo a sign-in of another tab.
      if case .session(let session, isCurrent: false) = shown { set(session, call.app, &response) }
      finish(&response, shown, call)
      return response
    }
  }

  private func signedOut(_ call: Call, removesCookie: Bool) -> Response {
    var response = Response.json(.ok, Array(#"{"isSignedIn":false}"#.utf8))
    response.headers[.cacheControl] = "no-store"
    if removesCookie { response.headers.append(cookies.removal(of: call.app)) }
    return response
  }

  /// Signs out. A session that has ended already is no error; one that could not be ended stays, so that the user can try
  /// again.
  private func end(_ call: Call) async throws(Problem) -> Interception {
    let removal = cookies.removal(of: call.app)
    let gone = Interception.answered(.success(Response(status: .noContent, headers: [.setCookie: removal.value])))
    guard case .session(let session, _) = cookies.session(of: call.app, in: call.request.headers) else { return gone }
    var head = Self.head(of: call.request, call.path == Self.logOut ? call.target : Self.logOut)
    head.method = .post
    let body = Self.body([], of: &head)
    do throws(Problem) {
      head.headerFields[.authorization] = "Bearer \(try await tokens.token(of: session))"
    } catch {
      guard error.status == 401 else { throw error }
      return gone
    }
    let keepsThis = call.target.contains("scope=others")
    return .replaced(Request(head: head, body: body)) { response in
      guard !keepsThis, response.status == .noContent else { return response }
      var response = response
      tokens.forget(session.session)
      response.headers.append(removal)
      return response
    }
  }
}

extension HTTPField.Name {
  static let secFetchSite = Self(known: "Sec-Fetch-Site")
  static let secFetchDest = Self(known: "Sec-Fetch-Dest")
  static let quintetApp = Self(known: "Quintet-App")
}

extension Response {
  /// Gives a complete response another body.
  fileprivate mutating func become(_ status: HTTPResponse.Status, _ json: [UInt8], type: String = "application/json") {
    self.status = status
    body = ResponseBody(byteBuffer: ByteBuffer(bytes: json))
    headers[.contentType] = type
    headers[.contentLength] = String(json.count)
    headers[.cacheControl] = "no-store"
    for name in [HTTPField.Name.eTag, .setCookie] { headers[name] = nil }
  }

  fileprivate mutating func become(_ problem: Problem) {
    let (_, body) = problem.document(trace: nil)
    become(HTTPResponse.Status(code: problem.status), body, type: "application/problem+json")
  }
}
