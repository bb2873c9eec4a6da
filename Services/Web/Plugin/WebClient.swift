import Contracts
import Foundation
import HTTPTypes

/// The pages and files of all apps, in memory: a request opens no file.
///
/// A page is answered under every path of its folder, because the screens of an app are paths. It names its files by
/// `/assets/{build}/…`, and since modules import each other relatively, no file of another build is ever mixed in.
public struct WebClient: Sendable {
  /// A hash of all files.
  public let build: String
  /// The files at the addresses that all apps share, by path.
  private var files: [String: WebFile] = [:]
  /// The files of the hosts of single apps: pages, and what has to be beside them.
  private var own: [WebApp: [String: WebFile]] = [:]
  private let hosts: WebHosts
  /// The answer to people who look for a page that is not there.
  public private(set) var notFound: WebFile?

  /// The resource at an address.
  public enum Found: Sendable {
    case file(WebFile)
    /// The page of a folder, which has a slash at its end.
    case redirect(String)
  }

  /// Paths that are not the client's on the host of an app.
  private static let reserved: Set<Substring> = [
    "v1", "web", "internal", "events", "s", "docs", "problems", "openapi.json", "livez", "readyz", "status",
    ".well-known",
  ]
  private static let besidePages = ["sw.js", "manifest.webmanifest"]

  // MARK: finding

  /// - Parameters:
  ///   - path: As it was requested, without the query.
  ///   - app: The app whose host was asked; `nil` on the host of all.
  public func find(_ path: String, on app: WebApp? = nil) -> Found? {
    if Self.isAsset(path) { return files[path].map { .file($0) } }
    let first = path.dropFirst().prefix { $0 != "/" }
    if let app, let own = own[app] {
      if let file = own[path] { return .file(file) }
      if let page = Self.page(of: path, upTo: first.endIndex, in: own) { return page }
      return Self.reserved.contains(first) ? nil : own["/"].map { .file($0) }
    }
    if let file = files[path] { return .file(file) }
    guard !first.isEmpty, let page = Self.page(of: path, upTo: first.endIndex, in: files) else { return nil }
    let second = path[first.endIndex...].dropFirst().prefix { $0 != "/" }
    return Self.page(of: path, upTo: second.endIndex, in: files) ?? page
  }

  /// The page of the folder that the path begins with.
  private static func page(of path: String, upTo end: String.Index, in pages: [String: WebFile]) -> Found? {
    let folder = "\(path[..<end])/"
    return pages[folder].map { end == path.endIndex ? .redirect(folder) : .file($0) }
  }

  /// Whether a path is one of files that are named by their content, of another build perhaps.
  public static func isAsset(_ path: String) -> Bool { path.hasPrefix("/assets/") }

  // MARK: loading

  /// The folder that was built with the program, beside it.
  public static var builtIn: String {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    return (program ?? Bundle.main.bundleURL).appendingPathComponent("quintet_WebClient.resources/Client").path
  }

  /// The folder cannot be read, or has no page.
  public struct Unusable: Error, CustomStringConvertible {
    public let description: String
  }

  /// Reads a folder.
  ///
  /// - Throws: ``Unusable``.
  public static func load(_ folder: String, hosts: WebHosts = .none) throws -> WebClient {
    if folder == builtIn, hosts.isEmpty, let loaded = try? Self.loaded.get() { return loaded }
    return try WebClient(folder, hosts)
  }

  /// Read once, whatever number of platforms a process has.
  private static let loaded = Result { try WebClient(builtIn, .none) }

  private init(_ folder: String, _ hosts: WebHosts) throws {
    self.hosts = hosts
    var contents: [File] = []
    guard let names = FileManager.default.enumerator(atPath: folder) else {
      throw Unusable(description: "\(folder) cannot be read")
    }
    for case let name as String in names {
      let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") }
      guard !isHidden, let type = MediaType(of: name),
        let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
      else { continue }
      let isSource = name.hasSuffix(".js") || name.hasSuffix(".css")
      contents.append((name, type, isSource ? WebSource.withoutComments(Array(data)) : Array(data)))
    }
    contents.sort { $0.path < $1.path }
    guard contents.contains(where: { $0.path == "index.html" }) else {
      throw Unusable(description: "\(folder) has no index.html")
    }
    build = String(
      WebFile.digest(contents.flatMap { Array("\($0.path)\n\($0.bytes.count)\n".utf8) + $0.bytes }).prefix(16))
    let paths = Set(contents.map(\.path))
    let template = contents.first { $0.path == "page.html" }
    for file in contents { try add(file, template, among: paths) }
  }

  private typealias File = (path: String, type: MediaType, bytes: [UInt8])

  private mutating func add(_ file: File, _ template: File?, among paths: Set<String>) throws {
    let (path, type, bytes) = file
    let parts = path.split(separator: "/", maxSplits: 1)
    let app = WebApp(rawValue: String(parts[0]))
    switch (parts.count, app) {
    case (1, _) where path == "index.html": files["/"] = page(bytes, type, WebPolicy.pages)
    case (1, _) where path == "not-found.html": notFound = page(bytes, type, WebPolicy.pages)
    case (2, let app?) where path.hasSuffix("/page.json"):
      guard let template else { throw Unusable(description: "there is a page.json, but no page.html") }
      let folder = String(path.dropLast("/page.json".count))
      let html = try WebPage.html(template.bytes, bytes, of: app, folder: folder, among: paths)
      let base = String(folder.dropFirst(app.rawValue.count))
      let policy = paths.contains("\(app.rawValue)/sw.js") ? WebPolicy.pagesWithWorker : WebPolicy.pages
      files["/\(folder)/"] = page(html, template.type, base: "/\(folder)", policy)
      own[app, default: [:]]["\(base)/"] = page(html, template.type, base: base, on: app, policy)
    case (2, let app?) where Self.besidePages.contains(String(parts[1])):
      files["/\(path)"] = page(bytes, type, base: "/\(app.rawValue)", WebPolicy.pages)
      own[app, default: [:]]["/\(parts[1])"] = page(bytes, type, on: app, WebPolicy.pages)
    case _ where path.hasSuffix(".html"): break
    default:
      // A picture can be opened as a page.
      let fields = path.hasSuffix(".svg") ? WebPolicy.fields(WebPolicy.pages) : []
      files["/assets/\(build)/\(path)"] = WebFile(bytes, type: type, caching: .forever, fields: fields)
    }
  }

  /// - Parameters:
  ///   - base: What the paths of its folder begin with.
  ///   - app: The app on whose host it is; `nil` on the host of all.
  private func page(_ bytes: [UInt8], _ type: MediaType, base: String = "", on app: WebApp? = nil, _ policy: String)
    -> WebFile
  {
    var text = String(decoding: bytes, as: UTF8.self)
      .replacing("{{assets}}", with: "/assets/\(build)").replacing("{{base}}", with: base)
    for other in WebApp.allCases {
      text.replace("{{\(other.rawValue)}}", with: hosts.base(of: other, from: app))
    }
    return WebFile(Array(text.utf8), type: type, caching: .revalidated, fields: WebPolicy.fields(policy))
  }
}
