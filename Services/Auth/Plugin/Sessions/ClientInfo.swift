import Contracts
import Foundation
import HTTPServing
import ServiceKit

/// The client device and address that a session is used from.
struct ClientInfo: Sendable {
  /// The `User-Agent`.
  var device: String?
  /// The app version that the app has reported.
  var appVersion: String?
  var deviceModel: String?
  /// The whole address: for limits and the audit trail, never stored with a session.
  var address: String?

  init(_ context: RequestContext) {
    device = context.userAgent
    appVersion = context.device?.version
    deviceModel = context.device?.device
    address = context.clientAddress
  }

  /// A client without an address.
  init(device: String) { self.device = device }

  /// The network of the client, as sessions show it.
  var network: String? { address.flatMap { Self.network(of: $0) } }

  /// The name that distinguishes the device, as far as it is known.
  var deviceName: String? { deviceModel ?? device.flatMap { DeviceName.of($0) } }

  /// The device in words that mails and notifications may contain: what a stranger's app says of itself must not be
  /// text or a link for the owner to read.
  var shownDeviceName: String? {
    if let deviceModel, DeviceName.isModel(deviceModel) { return deviceModel }
    return device.flatMap { DeviceName.of($0) }
  }

  /// The network of an address: /24 of IPv4, also when a dual-stack listener reports it as IPv6, and /48 of IPv6.
  static func network(of address: String) -> String? {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, address, &four) == 1 {
      return withUnsafeBytes(of: four) { "\($0[0]).\($0[1]).\($0[2]).0/24" }
    }
    guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
    return withUnsafeBytes(of: six) { bytes in
      let isMapped = bytes[0..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
      if isMapped { return "\(bytes[12]).\(bytes[13]).\(bytes[14]).0/24" }
      let groups = [0, 2, 4].map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
      return groups.joined(separator: ":") + "::/48"
    }
  }
}

/// Names a device by its `User-Agent`, for people who look for it in a list.
enum DeviceName {
  private static let systems = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
    ("Macintosh", "macOS"), ("Darwin", "Apple device"), ("Linux", "Linux"),
  ]
  /// In this order, because most browsers also name those that they are compatible with.
  private static let browsers = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
  ]

  /// `nil` when nothing is recognized.
  static func of(_ userAgent: String) -> String? {
    let system = systems.first { userAgent.contains($0.0) }?.1
    let isBrowser = userAgent.hasPrefix("Mozilla/")
    let program = isBrowser ? browsers.first { userAgent.contains($0.0) }?.1 : product(of: userAgent)
    switch (program, system) {
    case (let program?, let system?): return "\(program) on \(system)"
    case (let name?, nil), (nil, let name?): return name
    case (nil, nil): return nil
    }
  }

  /// The first product of the header (RFC 9110 §10.1.5), without its version.
  private static func product(of userAgent: String) -> String? {
    let name = userAgent.prefix { $0 != "/" && $0 != " " }
    return isProduct(name) ? String(name) : nil
  }

  /// Whether a name is like `iPhone17,1` or `Pixel 9 Pro`.
  static func isModel(_ name: String) -> Bool {
    (1...30).contains(name.utf8.count) && name.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x20 || $0 == 0x2C }
  }

  /// Without the dots and colons of links.
  private static func isProduct(_ name: Substring) -> Bool {
    (1...40).contains(name.utf8.count) && name.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
