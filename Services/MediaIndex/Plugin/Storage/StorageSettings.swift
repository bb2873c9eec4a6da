import BlobStorage
import ServiceKit

/// The settings of the storage of media.
enum StorageSettings {
  static let storage = Setting<MediaStorage>(
    "media.storage", default: .local,
    "Where the files of media are kept: in a folder of this machine, or in an S3-compatible store")
  static let folder = Setting<String?>(
    optional: "media.folder", expects: "a folder", "Folder of the local storage; if unset, media in the data folder")
  static let reserveBytes = Setting<Int>(
    "media.reserveBytes", default: 1 << 30, in: 0...1 << 50,
    "Free bytes of the disk below which nothing is uploaded or made of uploads")
  static let maxMedia = Setting<Int>(
    "media.maxPerUser", default: 50_000, in: 1...absoluteMaxMedia, "Maximum number of a user's media")
  /// More are never listed at once.
  static let absoluteMaxMedia = 1_000_000
  static let endpoint = Setting<String?>(
    optional: "media.s3.endpoint", expects: expectsOrigin, "The store's address, without the bucket")
  static let publicEndpoint = Setting<String?>(
    optional: "media.s3.publicEndpoint", expects: expectsOrigin,
    "The store's address in URLs for browsers and apps, if they reach it by another one")
  static let region = Setting<String>("media.s3.region", default: "us-east-1", "The store's region")
  static let bucket = Setting<String?>(
    optional: "media.s3.bucket", expects: "3 to 63 of the characters a-z, 0-9, - and .", "The bucket, which must exist")
  static let prefix = Setting<String>(
    "media.s3.prefix", default: "", expects: "a text such as media/", "What the keys of all objects start with"
  ) { $0 }
  static let pathStyle = Setting<Bool>(
    "media.s3.pathStyle", default: true, expects: "true or false",
    "Whether the bucket is in the path of requests instead of the host"
  ) { Bool($0) }
  static let checksums = Setting<Bool>(
    "media.s3.checksums", default: true, expects: "true or false",
    "Whether uploads carry x-amz-checksum-sha256, which older stores refuse"
  ) { Bool($0) }
  static let accessKey = Setting<String?>(optional: "media.s3.accessKey", isSecret: true, "The id of the store's key")
  static let secretKey = Setting<String?>(optional: "media.s3.secretKey", isSecret: true, "The store's key")
  static let sessionToken = Setting<String?>(
    optional: "media.s3.sessionToken", isSecret: true, "The token of temporary credentials")

  private static let expectsOrigin = "a URL such as https://s3.eu-central-1.amazonaws.com, without a path"

  static let all: [any SettingDescription] = [
    storage, folder, reserveBytes, maxMedia, endpoint, publicEndpoint, region, bucket, prefix, pathStyle, checksums,
    accessKey, secretKey,
    sessionToken,
  ]

  /// - Throws: ``SettingError`` that names what is missing or invalid.
  static func s3(_ settings: Settings) throws(SettingError) -> S3Configuration {
    let credentials = S3Credentials(
      accessKey: try required(accessKey, in: settings),
      secretKey: try required(secretKey, in: settings),
      sessionToken: try settings[sessionToken]
    )
    let (origin, name) = (try required(endpoint, in: settings), try required(bucket, in: settings))
    let (publicOrigin, location, start) = (try settings[publicEndpoint], try settings[region], try settings[prefix])
    let isPathStyle = try settings[pathStyle]
    var configuration: S3Configuration
    do {
      configuration = try S3Configuration(
        endpoint: origin, publicEndpoint: publicOrigin, region: location, bucket: name, prefix: start,
        usesPathStyle: isPathStyle, credentials: credentials)
    } catch {
      throw invalid(error.field)
    }
    configuration.usesChecksums = try settings[checksums]
    return configuration
  }

  private static func required(_ setting: Setting<String?>, in settings: Settings) throws(SettingError) -> String {
    guard let value = try settings[setting] else {
      throw SettingError(setting, "is not set, but media are kept in an S3-compatible store")
    }
    return value
  }

  private static func invalid(_ field: S3ConfigurationError.Field) -> SettingError {
    let problem = "is invalid"
    return switch field {
    case .endpoint: SettingError(endpoint, problem)
    case .publicEndpoint: SettingError(publicEndpoint, problem)
    case .region: SettingError(region, problem)
    case .bucket: SettingError(bucket, problem)
    case .prefix: SettingError(prefix, problem)
    case .accessKey: SettingError(accessKey, problem)
    case .secretKey: SettingError(secretKey, problem)
    case .sessionToken: SettingError(sessionToken, problem)
    }
  }
}
