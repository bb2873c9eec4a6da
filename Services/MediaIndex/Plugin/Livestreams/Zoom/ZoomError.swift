import Contracts

/// The reason why a request to Zoom has not succeeded.
enum ZoomError: Error, Sendable {
  /// Zoom has not executed it.
  case notSent(String)
  /// Too many requests; Zoom has not executed it.
  case limited(seconds: Int)
  /// Zoom rejects it with an error code of its own (developers.zoom.us/docs/api/errors).
  case refused(status: Int, code: Int)
  /// There is no such meeting.
  case notFound
  /// It may have been executed.
  case unknown(String)

  /// When the request may be repeated, in seconds; `nil` when it is of no use.
  var retryAfter: Int? {
    switch self {
    case .notSent, .unknown: 5
    case .limited(let seconds): seconds
    case .refused, .notFound: nil
    }
  }

  /// The problem that is returned to a user who waits for the request.
  var problem: Problem {
    switch self {
    case .limited(let seconds): Problem(.overloaded, detail: "Zoom's rate limit is reached.", retryAfter: seconds)
    case .notFound: Problem(.livestreamNotOpen, detail: "Zoom does not know the meeting any longer.")
    case .refused: Problem(.upstreamFailed, detail: "Zoom rejects the request.")
    case .notSent, .unknown: Problem(.unavailable, detail: "Zoom does not respond.", retryAfter: 5)
    }
  }
}

extension ZoomError: CustomStringConvertible {
  /// For logs; Zoom's own messages are left out, because they can contain what users wrote.
  var description: String {
    switch self {
    case .notSent(let reason): "not sent: \(reason)"
    case .limited(let seconds): "rate limit, \(seconds) s"
    case .refused(let status, let code): "status \(status), code \(code)"
    case .notFound: "no such meeting"
    case .unknown(let reason): "unknown: \(reason)"
    }
  }
}
