public enum UploadSubject {}
public typealias UploadID = ID<UploadSubject>

/// Resumable uploads by tus 1.0.0 (tus.io/protocols/resumable-upload); `docs/uploads.md` explains them.
extension MediaAPI {
  static let uploads = [
    describeUploads, createUpload, describeUpload, getUpload, continueUpload, cancelUpload, overriddenUpload,
  ]

  /// The most bytes that a service can be configured to accept in one request.
  public static let maxUploadBytes = 1 << 40

  private static let body = Operation.Limits(bodyBytes: maxUploadBytes, seconds: 300)
  private static let nothing = Operation.Limits(bodyBytes: 4096, seconds: 30)

  public static let describeUploads = RawRoute(
    Operation.options("/v1/uploads", "Get the capabilities of uploads", access: .anyone, success: 204, limits: nothing)
  )
  public static let createUpload = RawRoute(
    Operation.post(
      "/v1/uploads", "Create an upload, or join partial ones", success: 201,
      problems: [
        .tusVersionUnsupported, .uploadTooLarge, .storageQuotaExceeded, .tooManyUploads, .uploadChecksumMismatch,
        .uploadIncomplete, .uploadPartTaken, .uploadContentType, .mediaTypeUnsupported, .guardianConsentRequired,
        .switchedOff,
      ], limits: body, accepts: .raw),
    answers: [.init(204, "What uploads support, for X-HTTP-Method-Override: OPTIONS")],
    headers: [
      version, length, .init("Upload-Defer-Length", .words("1")), .init("Upload-Metadata", .metadata),
      .init("Upload-Concat", .concatenation), checksum,
      .init("X-HTTP-Method-Override", .words("POST", "OPTIONS")),
    ],
    bodyType: bytes
  )
  public static let describeUpload = RawRoute(
    Operation.options(
      "/v1/uploads/{id}", "Get the capabilities of an upload", access: .anyone, success: 204, limits: nothing)
  )
  public static let getUpload = RawRoute(
    Operation.head(
      "/v1/uploads/{id}", "Get the offset of an upload",
      problems: [.tusVersionUnsupported, .mediaTypeUnsupported, .uploadGone],
      limits: .init(bodyBytes: 4096, seconds: 300)),
    headers: [version]
  )
  public static let continueUpload = RawRoute(
    Operation.patch(
      "/v1/uploads/{id}", "Append to an upload", success: 204, problems: appending, limits: body, accepts: .raw),
    headers: [version, offset(isRequired: true), length, checksum], bodyType: bytes
  )
  public static let cancelUpload = RawRoute(
    Operation.delete(
      "/v1/uploads/{id}", "Cancel an upload", success: 204, problems: [.tusVersionUnsupported, .uploadGone],
      limits: nothing),
    headers: [version]
  )
  /// For clients that cannot send PATCH, DELETE or HEAD.
  public static let overriddenUpload = RawRoute(
    Operation.post(
      "/v1/uploads/{id}", "Run the method in X-HTTP-Method-Override on an upload", success: 204,
      problems: appending, limits: body, accepts: .raw),
    answers: [.init(200, "How far the upload is, for X-HTTP-Method-Override: HEAD")],
    headers: [
      .init("X-HTTP-Method-Override", .words("PATCH", "DELETE", "HEAD", "OPTIONS"), isRequired: true), version,
      offset(isRequired: false), length, checksum,
    ],
    bodyType: bytes
  )

  // MARK: what they read

  private static let bytes = "application/offset+octet-stream"
  private static let version = RawRoute.Header("Tus-Resumable", .words("1.0.0"), isRequired: true)
  private static let length = RawRoute.Header("Upload-Length", .count)
  private static let checksum = RawRoute.Header("Upload-Checksum", .checksum)

  private static func offset(isRequired: Bool) -> RawRoute.Header {
    .init("Upload-Offset", .count, isRequired: isRequired)
  }

  private static let appending: [Problem.Kind] = [
    .tusVersionUnsupported, .uploadOffsetMismatch, .uploadSuperseded, .uploadTooLarge, .storageQuotaExceeded,
    .uploadContentType, .mediaTypeUnsupported, .uploadChecksumMismatch, .uploadIsFinal, .uploadGone,
  ]
}

extension JSONSchema {
  fileprivate static func words(_ words: String...) -> JSONSchema {
    var schema = JSONSchema.string()
    schema.enumeration = words
    return schema
  }

  /// A number of bytes.
  fileprivate static let count: JSONSchema = {
    var schema = JSONSchema.integer
    (schema.minimum, schema.maximum) = (0, Int64(MediaAPI.maxUploadBytes))
    return schema
  }()

  fileprivate static let checksum: JSONSchema = .text(
    "^(sha1 [A-Za-z0-9+/]{27}=|sha256 [A-Za-z0-9+/]{43}=|md5 [A-Za-z0-9+/]{22}==)$")
  /// Pairs of a key and a base64 value.
  fileprivate static let metadata: JSONSchema = .text(
    "^[a-z]{1,20}( ([A-Za-z0-9+/]{4})+)?(,[a-z]{1,20}( ([A-Za-z0-9+/]{4})+)?)*$")
  fileprivate static let concatenation: JSONSchema = .text("^(partial|final;[!-~]+( [!-~]+)*)$")

  private static func text(_ pattern: String) -> JSONSchema {
    var schema = JSONSchema.string()
    schema.pattern = pattern
    return schema
  }
}

extension Problem.Kind {
  public static let tusVersionUnsupported = Self(
    "tus-version-unsupported", status: 412, "The version in Tus-Resumable is not supported",
    meaning:
      "`Tus-Resumable` names a version of the upload protocol that the server does not have. `Tus-Version` lists "
      + "those that it has.",
    remedy: "Use one of the versions in `Tus-Version`.")
  public static let uploadOffsetMismatch = Self(
    "upload-offset-mismatch", status: 409, "Upload-Offset is not the offset of the upload",
    meaning: "Client and server disagree on how much has arrived, usually after a broken connection.",
    remedy: "Get the current `Upload-Offset` by HEAD, and continue there.")
  public static let uploadSuperseded = Self(
    "upload-superseded", status: 409, "A newer request continues the upload",
    meaning: "A newer request for the same upload has ended this one. What had arrived is kept.",
    remedy: "Leave the upload to the newer request.")
  public static let uploadIncomplete = Self(
    "upload-incomplete", status: 409, "A partial upload is not complete",
    meaning: "Parts can be joined when the last byte of each has arrived.",
    remedy: "Finish the parts first, and join them then.")
  public static let uploadPartTaken = Self(
    "upload-part-taken", status: 409, "Another upload joins the partial upload",
    meaning: "A part belongs to one joined upload.",
    remedy: "Upload the part again for the other one.")
  public static let uploadIsFinal = Self(
    "upload-is-final", status: 403, "Nothing can be appended to joined or finished uploads",
    meaning: "The upload is complete, or was joined from parts.",
    remedy: "Create a new upload.")
  public static let uploadGone = Self(
    "upload-gone", status: 410, "The upload has expired or was lost",
    meaning: "The upload was not continued in time, or its storage was lost.",
    remedy: "Create a new upload and send the file from its start.")
  public static let uploadTooLarge = Self(
    "upload-too-large", status: 413, "The upload is too large",
    meaning: "The length of the file exceeds the limit of uploads.",
    remedy: "Ask for a smaller file.")
  public static let storageQuotaExceeded = Self(
    "storage-quota-exceeded", status: 413, "The user's media and uploads would take too much space",
    meaning: "The user's media and unfinished uploads would exceed the user's share of storage.",
    remedy: "Let the user delete media or cancel uploads first.")
  public static let uploadContentType = Self(
    "upload-content-type", status: 415, "The body must be application/offset+octet-stream",
    meaning: "Pieces of an upload are sent as bytes of this type only.",
    remedy: "Send `Content-Type: application/offset+octet-stream`.")
  public static let tooManyUploads = Self(
    "too-many-uploads", status: 429, "The user has too many unfinished uploads",
    meaning: "The user has reached the limit of unfinished uploads.",
    remedy: "Finish or cancel an upload first.")
  public static let uploadChecksumMismatch = Self(
    "upload-checksum-mismatch", status: 460, "The body does not have the checksum in Upload-Checksum",
    meaning: "The bytes have changed on their way, or the checksum was computed of others. They are discarded.",
    remedy: "Send the same piece again from the same offset.")
}
