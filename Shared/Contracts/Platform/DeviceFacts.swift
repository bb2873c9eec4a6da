/// The facts that an app reports about the device that it runs on, in header fields of its requests. They are not
/// verified, and they are stored only with what a request leaves in the audit trail. A field that is not valid is
/// ignored.
public struct DeviceFacts: Codable, Sendable, Hashable {
  /// How a device reaches the network.
  public enum Network: String, WireEnum {
    case wifi, cellular, wired, other
  }

  /// `X-App-Version`: at most 40 characters.
  public var version: String?
  /// `X-Device`, such as `iPhone17,1`: at most 80 characters.
  public var device: String?
  /// `X-Network`.
  public var network: Network?
  /// `X-Battery`, in percent.
  public var battery: Int?

  /// The facts of the request that is being handled.
  @TaskLocal public static var current: DeviceFacts?

  public init(version: String? = nil, device: String? = nil, network: Network? = nil, battery: Int? = nil) {
    (self.version, self.device, self.network, self.battery) = (version, device, network, battery)
  }

  /// Reads header fields; `nil` when none of them contains anything valid.
  ///
  /// - Parameter field: The value of a header field that occurs once.
  public init?(reading field: (_ name: String) -> String?) {
    version = field("X-App-Version").flatMap { Self.text($0, upTo: 40) }
    device = field("X-Device").flatMap { Self.text($0, upTo: 80) }
    network = field("X-Network").flatMap { Network(rawValue: $0) }
    battery = field("X-Battery").flatMap { text in
      guard text.utf8.count <= 3, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return nil
      }
      return Int(text).flatMap { (0...100).contains($0) ? $0 : nil }
    }
    if self == DeviceFacts() { return nil }
  }

  /// Printable ASCII, because that is what every reader of a trail shows as it is.
  private static func text(_ value: String, upTo length: Int) -> String? {
    let isPlain = value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return isPlain && (1...length).contains(value.utf8.count) ? value : nil
  }
}
