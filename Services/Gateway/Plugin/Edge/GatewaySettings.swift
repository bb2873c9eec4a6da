import Foundation
import ServiceKit
import RedisClient
import WebClient

enum GatewaySettings {
  static let corsOrigins = Setting<Set<String>>(
    "cors.origins",
    default: [],
    expects: "comma-separated origins such as https://app.example.com, or *",
    "Web origins that may call the API from a browser"
  ) { text in Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }) }
  static let redisURL = Setting<String?>(
    "redis.url",
    default: .some(nil),
    expects: "redis://host:port, with a password as redis://:password@host:port, or rediss:// by TLS",
    isSecret: true,
    "Redis for rate limits and realtime events of several gateways; by default, gateways share neither"
  ) { RedisAddress($0) == nil ? nil : .some($0) }
  static let signInRate = rate("limits.signIn", "120/60", "sign-in and password requests, per address")
  static let sessionRate = rate("limits.session", "600/60", "refreshed tokens, sign-outs and proofs, \(sessions)")
  private static let sessions = "per user, or per session or address for those whose token has expired or is missing"
  static let guestRate = rate("limits.guests", "60/3600", "new accounts and guests, per address")
  static let readRate = rate("limits.read", "1200/60", "reads, \(caller)")
  static let searchRate = rate("limits.search", "300/60", "searches, \(caller)")
  static let costlyRate = rate("limits.costly", "120/60", "statistics, exports, imports and reports, \(caller)")
  static let writeRate = rate("limits.write", "600/60", "writes, \(caller)")
  private static let caller = "per user, or per address for guests and anonymous requests"
  static let networkFactor = Setting<Int>(
    "limits.addressFactor",
    default: 10,
    in: 1...10_000,
    "How many times a user's rate all users of one address, or of one /64 network of IPv6, have together"
  )
  static let streams = Setting<Int>(
    "realtime.streams",
    default: 20_000,
    in: 0...1_000_000,
    "Maximum number of open GET /v1/events streams in this process"
  )
  static let streamsPerAddress = Setting<Int>(
    "realtime.streamsPerAddress",
    default: 500,
    in: 0...1_000_000,
    "Maximum number of these streams of one address, or of one /64 network of IPv6; 0 for no limit"
  )
  static let plainHTTP = Setting<PlainHTTP>(
    "gateway.plainHttp",
    default: .allow,
    "Whether requests by plain HTTP, also to a proxy in front of the gateway, are served: allow, redirect (reads"
      + " without a token go to HTTPS, others are refused) or refuse; with tls.certificate at least redirect"
  )
  static let fastEdge = Setting<Bool>(
    "edge.fast",
    default: true,
    expects: "true or false",
    "Whether frequent requests to services in other processes pass through the gateway as bytes, on one event loop each;"
      + " others always take the standard pipeline"
  ) { Bool($0) }
  static let acmeFolder = Setting<String?>(
    optional: "gateway.acmeFolder",
    expects: "a folder, such as certbot's WEBROOT/.well-known/acme-challenge",
    "Folder of the answers to ACME challenges (RFC 8555), which are served by plain HTTP"
  )

  static let crashMegabytes = Setting<Int>(
    "crashes.megabytes", default: 256, in: 1...1_000_000,
    "Maximum size of the stored crash reports; the oldest make room for new ones")
  static let crashesPerDay = rate("crashes.perAddress", "100/86400", "crash reports, per address")

  static let webRoot = Setting<String?>(
    optional: "web.root",
    expects: "a folder such as Services/Web/Client",
    "Folder of the pages and files of the apps in the browser, read at the start; by default the one beside the program"
  )
  static let webHosts = Setting<[(host: String, app: WebApp)]>(
    "web.hosts",
    default: [],
    expects: "comma-separated APP=HOST, such as archived=archived.example,admin=admin.example",
    "Hosts of single apps, whose pages are at / there; links lead to the first of an app"
  ) { text in
    var hosts: [(host: String, app: WebApp)] = []
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2, let app = WebApp(rawValue: parts[0]), !hosts.contains(where: { $0.host == parts[1] }),
        parts[1].wholeMatch(of: /[a-z0-9.-]+/) != nil
      else { return nil }
      hosts.append((parts[1], app))
    }
    return hosts
  }

  static let publicURL = Setting<String>(
    "gateway.publicUrl",
    default: "http://127.0.0.1:8080",
    expects: "an http or https URL without a slash at the end",
    "Public URL of the gateway, used in the pages of shared links, and by apps with a host of their own"
  ) { text in
    text.wholeMatch(of: /https?:\/\/[A-Za-z0-9.:\[\]\/_~%-]*[A-Za-z0-9\]_~-]/) == nil ? nil : text
  }
  static let siteName = Setting<String>(
    "links.siteName", default: "Quintet", "The name of the site in the previews of shared links")
  static let appLink = Setting<String?>(
    "links.app",
    default: .some(nil),
    expects: "a URL with {kind} and {id}, such as keepfit://open/{kind}/{id}",
    "Where the pages of shared links open the app"
  ) { text in
    let isURL = text.wholeMatch(of: /([a-z][a-z0-9+.-]*):\/\/[A-Za-z0-9{}.:\/?=&#_~%+-]+/)
    guard let scheme = isURL?.1, !["javascript", "data", "vbscript"].contains(scheme), text.contains("{id}") else {
      return nil
    }
    return .some(text)
  }

  static let all: [any SettingDescription] = [
    corsOrigins, redisURL, signInRate, sessionRate, guestRate, readRate, searchRate, costlyRate, writeRate,
    networkFactor, streams,
    streamsPerAddress, plainHTTP, fastEdge, acmeFolder, crashMegabytes, crashesPerDay, webRoot, webHosts,
    publicURL, siteName, appLink,
  ]

  /// With a certificate of its own, the gateway receives plain HTTP only at the port that is there for redirects.
  static func plainHTTPPolicy(_ settings: Settings) throws(SettingError) -> PlainHTTP {
    let (chosen, servesTLS) = (try settings[plainHTTP], try settings.servesTLS)
    return chosen == .allow && servesTLS ? .redirect : chosen
  }

  private static func rate(_ key: String, _ value: String, _ what: String) -> Setting<RateLimit> {
    Setting(
      key,
      default: RateLimit(value),
      expects: "requests/seconds, such as \(value); 0/1 for no limit",
      "The maximum rate of \(what)"
    ) { RateLimit($0) }
  }
}
