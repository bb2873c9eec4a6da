import Contracts
import Persistence
import ServiceKit

/// The jobs that process media. Each kind has its own: a picture does not wait for videos.
struct ProcessingQueues: Sendable {
  static let kinds = [ProcessMedia.kind, pictures, videos]
  private static let pictures = "process-picture"
  private static let videos = "process-video"

  private let environment: ServiceEnvironment

  init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Adds the job of a media item; it replaces one that is waiting or running.
  ///
  /// - Parameters:
  ///   - toolFailures: How often a program has ended unexpectedly.
  ///   - seconds: After which it becomes due.
  func add(
    _ media: MediaID, _ kind: MediaKind, of owner: UserID, after toolFailures: Int? = nil, dueIn seconds: Double = 0,
    in tx: Transaction
  ) throws {
    let jobs = PendingJobs<ProcessMedia>(Self.queue(of: kind), environment)
    try jobs.add(
      ProcessMedia(media: media, toolFailures: toolFailures), id: MediaIntake.job(of: media), person: owner,
      dueAt: tx.now.advanced(bySeconds: seconds), in: tx)
  }

  private static func queue(of kind: MediaKind) -> String {
    switch kind {
    case .image, .document: pictures
    case .audio: ProcessMedia.kind
    case .video: videos
    }
  }
}
