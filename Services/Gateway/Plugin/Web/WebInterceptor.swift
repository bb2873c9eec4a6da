import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ServiceKit
import WebClient

/// The apps in the browser: their pages and files, and the calls of their pages.
struct WebInterceptor: Feature {
  /// `nil` when there are no files.
  private let client: WebClient?
  private let hosts: WebHosts
  private let calls: WebCalls
  private let plainHTTP: PlainHTTP
  /// The beginning of the addresses of files, for pages that the gateway makes.
  var assets: String { "/assets/\(client?.build ?? "none")" }

  init(_ environment: ServiceEnvironment, hosts: WebHosts, plainHTTP: PlainHTTP) throws {
    let settings = environment.settings
    (self.hosts, self.plainHTTP) = (hosts, plainHTTP)
    client = try Self.load(try settings[GatewaySettings.webRoot]?.absolutePath, hosts, environment)
    calls = WebCalls(
      cookies: WebCookies(keys: environment.dataKeys),
      tokens: WebTokens(
        auth: environment.client(of: AuthAPI.self), verifier: environment.tokens, time: environment.time),
      logger: environment.logger)
  }

  /// The address of a screen, on the host of its app where it has one; `nil` when there are no pages.
  ///
  /// - Parameter host: Where the address is used; may have a port.
  func address(of app: WebApp, _ path: String, on host: String?) -> String? {
    client == nil ? nil : hosts.base(of: app, from: hosts.app(on: host)) + path
  }

  /// On the host of an app, pages find the apps without one at the public URL.
  static func hosts(_ settings: Settings) throws(SettingError) -> WebHosts {
    let (setting, url) = (GatewaySettings.publicURL, try settings[GatewaySettings.publicURL])
    let hosts = WebHosts(try settings[GatewaySettings.webHosts], publicURL: url)
    guard hosts.isEmpty || url != setting.defaultText else {
      throw SettingError(setting, "is not set, but web.hosts is, and links between its hosts and the others need it")
    }
    if let app = hosts.app(on: hosts.common) {
      throw SettingError(setting, "names a host that web.hosts gives to \(app.rawValue) alone")
    }
    return hosts
  }

  private static func load(_ root: String?, _ hosts: WebHosts, _ environment: ServiceEnvironment) throws -> WebClient? {
    do {
      return try WebClient.load(root ?? WebClient.builtIn, hosts: hosts)
    } catch let error as WebClient.Unusable {
      if root != nil { throw SettingError(GatewaySettings.webRoot, "is no folder of pages: \(error)") }
      environment.logger.warning("there are no pages for browsers", metadata: ["reason": "\(error)"])
      return nil
    }
  }

  func register(in routes: inout Routes) {
    routes.interceptor { request, isSecure in await intercept(request, isSecure: isSecure) }
    // Answered by the interceptor, if there are pages.
    routes.on(GatewayAPI.root) { _, _ in throw Problem(.notFound) }
  }

  private func intercept(_ request: Request, isSecure: Bool) async -> Interception? {
    // The policy for plain HTTP is decided in one place.
    guard plainHTTP == .allow || isSecure else { return nil }
    let path = request.uri.path
    let app = hosts.app(on: request.head.authority)
    if WebCalls.isCall(path) {
      if let refusal = Self.refuseCode(request) { return refusal }
      guard app != nil || !isElsewhere(path.dropFirst(WebCalls.prefix.count)) else {
        return .answered(.failure(Problem(.notFound)))
      }
      return await calls.intercept(request, on: app)
    }
    guard let client, request.method == .get || request.method == .head else { return nil }
    switch find(path, in: client, on: app) {
    case .file(let file): return .file(Self.answer(file, to: request, isSecure: isSecure))
    case .redirect(let target):
      let query = request.uri.query.map { "?\($0)" } ?? ""
      return .answered(
        .success(
          Response(status: .permanentRedirect, headers: [.location: target + query, .cacheControl: "no-cache"])))
    case nil: return WebClient.isAsset(path) ? nil : Self.refuseCode(request) ?? missing(request, path)
    }
  }

  /// The policy of pages allows scripts of their own origin: nothing that users have uploaded, and no other data, may
  /// become one.
  private static func refuseCode(_ request: Request) -> Interception? {
    guard let use = request.headers[.secFetchDest], code.contains(use) else { return nil }
    return .answered(.failure(Problem(.forbidden, detail: "Data is not for the use as \(use).")))
  }

  /// The values of `Sec-Fetch-Dest` for code.
  private static let code: Set = [
    "script", "style", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet", "xslt", "object",
    "embed",
  ]

  /// The file that a plain request asks for; `nil` when there is more to it.
  ///
  /// - Parameter host: May have a port.
  func file(_ path: String, on host: String, ifNoneMatch: String?, acceptsGzip: Bool, isSecure: Bool) -> WebFile.Form? {
    guard plainHTTP == .allow || isSecure, !WebCalls.isCall(path),
      let client, case .file(let file)? = find(path, in: client, on: hosts.app(on: host)),
      !file.isKnown(to: ifNoneMatch)
    else { return nil }
    return acceptsGzip ? file.gzipped ?? file.plain : file.plain
  }

  private func find(_ path: String, in client: WebClient, on app: WebApp?) -> WebClient.Found? {
    app == nil && isElsewhere(path.dropFirst()) ? nil : client.find(path, on: app)
  }

  /// Whether a path begins with an app that has a host of its own, and is nowhere else: other apps are of another origin.
  private func isElsewhere(_ path: Substring) -> Bool {
    WebApp(rawValue: String(path.prefix { $0 != "/" })).map(hosts.isElsewhere) ?? false
  }

  private static func answer(_ file: WebFile, to request: Request, isSecure: Bool) -> Response {
    let form = file.gzipped.flatMap { accepts(request) ? $0 : nil } ?? file.plain
    var response = Response(status: .ok, headers: form.headers, body: ResponseBody(byteBuffer: form.body))
    if let known = request.headers[.ifNoneMatch], file.isKnown(to: known) {
      response = Response(status: .notModified, headers: form.headers)
      for name in [HTTPField.Name.contentType, .contentEncoding] { response.headers[name] = nil }
    }
    for field in ConstantFields.always { response.headers.append(field) }
    if isSecure { response.headers[.strictTransportSecurity] = Edge.transportSecurity }
    return response
  }

  private static func accepts(_ request: Request) -> Bool {
    guard let value = request.headers[.acceptEncoding] else { return false }
    // A list without weights, which is what browsers send.
    return value.utf8.contains(UInt8(ascii: ";")) || value.utf8.contains(UInt8(ascii: "*"))
      ? Compression.accepts([value]) : value.contains("gzip")
  }

  /// People who look for a page get one that says that there is none.
  private func missing(_ request: Request, _ path: String) -> Interception? {
    guard let page = client?.notFound, request.headers[.secFetchDest] == "document" else { return nil }
    return .replaced(request) { response in
      guard response.status == .notFound, response.headers[.contentType] == "application/problem+json" else {
        return response
      }
      var response = response
      response.body = ResponseBody(byteBuffer: page.plain.body)
      response.headers[.contentLength] = String(page.plain.body.readableBytes)
      for field in page.plain.headers where field.name != .eTag && field.name != .vary {
        response.headers[field.name] = field.value
      }
      return response
    }
  }
}
