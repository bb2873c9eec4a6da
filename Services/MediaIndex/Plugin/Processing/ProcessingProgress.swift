import Contracts
import MediaFiles
import Persistence

/// Reports how far the processing of a media item is, in steps that are worth an event.
actor ProcessingProgress {
  private static let step = 10

  private let media: MediaID
  private let core: MediaCore
  private var reported = 0

  init(_ media: MediaID, _ core: MediaCore) { (self.media, self.core) = (media, core) }

  /// The progress of a part of the work.
  /// - Parameters:
  ///   - start: The percentage of the whole at which the part begins.
  ///   - end: At which it ends.
  nonisolated func part(from start: Int, to end: Int) -> MediaConverter.Progress {
    { done in await self.report(start + Int(done * Double(end - start))) }
  }

  private func report(_ percent: Int) async {
    let percent = percent / Self.step * Self.step
    guard percent > reported, percent < 100 else { return }
    reported = percent
    // A failure to report progress does not end the work.
    try? await core.database.write { [core, media] tx in
      guard let stored = try core.media.findAny(media, in: tx), stored.media.state == .processing else { return }
      try MediaTopic.changed(stored, percent: percent, in: tx)
    }
  }
}
