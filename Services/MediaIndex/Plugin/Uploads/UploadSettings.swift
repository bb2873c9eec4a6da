import Contracts
import ServiceKit

enum UploadSettings {
  static let maxBytes = Setting<Int>(
    "uploads.maxBytes", default: 8 << 30, in: 1...MediaAPI.maxUploadBytes, "Maximum size of an upload, in bytes")
  static let quotaBytes = Setting<Int>(
    "uploads.quotaBytes", default: 20 << 30, in: 0...1 << 50,
    "Maximum size of a user's media and unfinished uploads in sum, in bytes")
  static let guestQuotaBytes = Setting<Int>(
    "uploads.guestQuotaBytes", default: 256 << 20, in: 0...1 << 50, "The same for guests")
  static let maxOpen = Setting<Int>(
    "uploads.maxOpen", default: 100, in: 1...10_000, "Maximum number of a user's unfinished uploads")
  static let expirySeconds = Setting<Double>(
    seconds: "uploads.expirySeconds", default: 86_400, in: 60...2_592_000,
    "How long an upload is kept after its last request")
  static let graceSeconds = Setting<Double>(
    seconds: "uploads.patienceSeconds", default: 3, in: 0.1...300,
    "How long the last request of an upload waits for its media item")

  static let publicURL = Setting<String?>(
    optional: "uploads.publicUrl", expects: "a URL such as https://api.example.com",
    "Scheme and host in the Location of uploads; if unset, those by which the client has called the gateway")

  static let all: [any SettingDescription] = [
    maxBytes, quotaBytes, guestQuotaBytes, maxOpen, expirySeconds, graceSeconds, publicURL,
  ]
}

/// The limits of uploads.
struct UploadLimits: Sendable {
  let maxBytes: Int64
  let quotaBytes: Int64
  let guestQuotaBytes: Int64
  let maxOpen: Int
  let expirySeconds: Double
  /// How long a request waits for the media item that is made of an upload.
  let graceSeconds: Double

  init(_ settings: Settings) throws {
    maxBytes = Int64(try settings[UploadSettings.maxBytes])
    quotaBytes = Int64(try settings[UploadSettings.quotaBytes])
    guestQuotaBytes = Int64(try settings[UploadSettings.guestQuotaBytes])
    maxOpen = try settings[UploadSettings.maxOpen]
    expirySeconds = try settings[UploadSettings.expirySeconds]
    graceSeconds = try settings[UploadSettings.graceSeconds]
  }

  func quota(of user: UserCaller) -> Int64 { user.roles.contains(.guest) ? guestQuotaBytes : quotaBytes }
}
