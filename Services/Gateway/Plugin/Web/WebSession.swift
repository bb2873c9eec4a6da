import Contracts
import HTTPTypes
import ServiceKit
import WebClient

/// The content of an app's cookie. It changes with sign-ins and proofs only, never with a refresh.
struct WebSession: Codable, Sendable, Equatable {
  var refreshToken: String
  var session: SessionID
  /// When the newest access token was issued that the browser knows of, in seconds. A gateway that has an older one asks
  /// for another.
  var issuedAt: Int64
  /// Whether a sign-in takes the cart of the session along.
  var isGuest: Bool
}

/// The cookies of browsers: sealed, so that only gateways with the platform's keys make and read them.
struct WebCookies: Sendable {
  enum Reading: Equatable {
    case none
    /// Forged, damaged, of another app, or sealed with a key that is gone.
    case unreadable
    /// - isCurrent: Whether it is sealed with the key that seals now.
    case session(WebSession, isCurrent: Bool)
  }

  let keys: DataKeys

  /// The name of an app is part of what is sealed.
  private static let column = SealedColumn("web_cookies", key: "name", "value")
  /// Known to all apps of the browser, because it says which device it is, not who uses it.
  private static let device = "__Host-device"
  /// Browsers keep none longer than 400 days. The session itself ends when auth says so.
  private static let seconds = 400 * 86_400

  // MARK: reading

  func session(of app: WebApp, in headers: HTTPFields) -> Reading {
    let name = Self.name(of: app)
    guard let text = Self.value(of: name, in: headers) else { return .none }
    guard let bytes = try? keys.open(text, in: Self.column, row: name),
      let session = try? WireJSON.decode(WebSession.self, from: bytes)
    else { return .unreadable }
    return .session(session, isCurrent: keys.isCurrent(text))
  }

  /// The secret by which auth knows the device.
  func deviceSecret(in headers: HTTPFields) -> String? {
    guard let text = Self.value(of: Self.device, in: headers),
      let bytes = try? keys.open(text, in: Self.column, row: Self.device)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func name(of app: WebApp) -> String { "__Host-\(app.rawValue)" }

  /// Compares bytes, because `Character` takes U+037E for a semicolon: another host of the site could set a cookie whose
  /// value then seems to be a cookie of this one. Of two with the name, neither is taken, because browsers that know
  /// `__Host-` send one.
  private static func value(of name: String, in headers: HTTPFields) -> String? {
    let values = headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
      let parts = pair.drop { $0 == UInt8(ascii: " ") }
        .split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].elementsEqual(name.utf8) ? String(decoding: parts[1], as: UTF8.self) : nil
    }
    return values.count == 1 ? values[0] : nil
  }

  // MARK: setting

  func field(_ session: WebSession, of app: WebApp) throws -> HTTPField {
    let name = Self.name(of: app)
    return Self.field(name, try keys.seal(WireJSON.encode(session), in: Self.column, row: name), Self.seconds)
  }

  func field(deviceSecret: String) throws -> HTTPField {
    Self.field(Self.device, try keys.seal(Array(deviceSecret.utf8), in: Self.column, row: Self.device), Self.seconds)
  }

  func removal(of app: WebApp) -> HTTPField { Self.field(Self.name(of: app), "", 0) }

  private static func field(_ name: String, _ value: String, _ seconds: Int) -> HTTPField {
    HTTPField(
      name: .setCookie, value: "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\(seconds)")
  }
}
