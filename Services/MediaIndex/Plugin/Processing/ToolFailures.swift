import Contracts
import MediaFiles

/// How often a program may end unexpectedly before its media item has failed. These failures are counted apart from the
/// attempts of a job, which also count a storage that was away and services that were killed.
enum ToolFailures {
  /// A program that ends unexpectedly does so again.
  private static let maxAttempts = 3
  /// Before the next try, in seconds.
  static let delay = 5.0

  /// The number of failures with this one; `nil` when it is none of a program, or there have been enough.
  static func next(after known: Int?, _ error: any Error) -> Int? {
    switch error as? MediaFileError {
    case .failed, .killed: (known ?? 0) + 1 < maxAttempts ? (known ?? 0) + 1 : nil
    default: nil
    }
  }

  /// The reason why a media item cannot be processed; `nil` when it may succeed later.
  ///
  /// - Parameter isLast: Whether nothing is tried any more.
  static func failure(of error: any Error, isLast: Bool) -> MediaFailure? {
    if let problem = error as? Problem, problem.is(.storageQuotaExceeded) { return .tooLarge }
    return switch error as? MediaFileError {
    case .toolMissing: .toolMissing
    case .invalidContent: .invalidContent
    case .tooLarge, .killed: .tooLarge
    case .failed: .internalError
    case .storageFull, nil: isLast ? .internalError : nil
    }
  }
}
