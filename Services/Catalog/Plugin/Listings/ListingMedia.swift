import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The media of listings: everyone may load the cover; of the audio only the preview, unless they have a license.
enum ListingMedia {
  static func wanted(cover: MediaID?, audio: MediaID?) -> [MediaUses.Wanted] {
    [
      cover.map { MediaUses.Wanted($0, .image, at: "body.cover") },
      audio.map { MediaUses.Wanted($0, .audio, at: "body.audio") },
    ].compactMap { $0 }
  }

  static func report(_ listing: ListingSummary, in tx: Transaction) throws {
    let uses = [listing.cover.map { MediaUse($0, .public) }, MediaUse(listing.audio, .preview)].compactMap { $0 }
    try MediaUses.report(uses, of: listing.id.topic, sequence: Int64(listing.version), in: tx)
  }

  static func reportDeleted(_ listing: ListingSummary, in tx: Transaction) throws {
    try MediaUses.report([], of: listing.id.topic, sequence: Int64(listing.version) + 1, in: tx)
  }
}
