import CurlClient
import HTTPTypes

/// The reason why a request to S3 failed. It holds no more of the answer than its code: messages may repeat what was
/// signed.
struct S3Failure: Error {
  let error: BlobStorageError
  /// Whether the same request may succeed later.
  let isTransient: Bool
  let code: String
  /// The store's time in seconds since 1970, when it says that ours is wrong.
  var storeTime: Int64?

  init(status: Int, body: [UInt8], date: String?) {
    let element = S3Element(body)
    // `Error` is also the root of some answers with status 200.
    code = element.flatMap { $0.name == "Error" ? $0["Code"]?.text : nil }.flatMap(Self.checked) ?? ""
    (error, isTransient) = Self.meaning(status, code)
    if code == "RequestTimeTooSkewed" { storeTime = date.flatMap { S3Encoding.seconds(ofHTTP: $0) } }
  }

  init(_ failure: ClientError) {
    code = failure.reason.rawValue
    isTransient = failure.speaksOfTheServer
    error = .unavailable("no answer: \(failure.reason.rawValue)")
  }

  init(_ error: BlobStorageError, isTransient: Bool = false) {
    (self.error, self.isTransient, code) = (error, isTransient, "")
  }

  static let invalidAnswer = S3Failure(.unavailable("the answer is not valid"), isTransient: true)

  private static func checked(_ code: String) -> String? {
    code.wholeMatch(of: /[A-Za-z0-9._]{1,64}/) == nil ? nil : code
  }

  private static func meaning(_ status: Int, _ code: String) -> (BlobStorageError, isTransient: Bool) {
    let text = code.isEmpty ? "\(status)" : "\(code) (\(status))"
    switch (status, code) {
    case (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"), (_, "XAmzContentChecksumMismatch"):
      // Damaged on the way, or before it.
      return (.damaged, true)
    case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"): return (.full, false)
    case (_, "RequestTimeout"), (_, "IncompleteBody"), (_, "RequestTimeTooSkewed"), (_, "OperationAborted"),
      (_, "InternalError"), (_, "SlowDown"), (_, "ServiceUnavailable"), (408, _), (429, _), (500..., _):
      return (.unavailable(text), true)
    // An upload that was ended by someone else, such as the removal of unfinished ones.
    case (_, "NoSuchUpload"): return (.unavailable(text), false)
    case (404, "NoSuchBucket"): return (.refused(text), false)
    case (404, _): return (.notFound, false)
    case (300..., _): return (.refused(text), false)
    default: return (.unavailable(text), false)
    }
  }
}
