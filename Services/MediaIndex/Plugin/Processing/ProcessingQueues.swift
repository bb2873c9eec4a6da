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

  /// Adds the job of a medium; it replaces one that is waiting or running.
  func add(_ media: MediaID, _ kind: MediaKind, of owner: UserID, in tx: Transaction) throws {
    let jobs = PendingJobs<ProcessMedia>(Self.queue(of: kind), environment)
    try jobs.add(ProcessMedia(media: media), id: MediaIntake.job(of: media), person: owner, in: tx)
  }

  private static func queue(of kind: MediaKind) -> String {
    switch kind {
    case .image, .document: pictures
    case .audio: ProcessMedia.kind
    case .video: videos
    }
  }
}
