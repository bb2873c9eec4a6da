import Contracts
import Persistence
import PlatformRules
import ServiceKit

extension PostID {
  var topic: Topic { Topic("post", rawValue) }
}

/// The media of posts, which everyone may load.
enum PostMedia {
  static func wanted(_ change: Patch<MediaID>, from known: MediaID? = nil) -> [MediaUses.Wanted] {
    MediaUses.Wanted.change(change, from: known, .image, .audio, .video, at: "body.media")
  }

  static func report(_ post: Post, in tx: Transaction) throws {
    let uses = [post.media.map { MediaUse($0, .public) }].compactMap { $0 }
    try MediaUses.report(uses, of: post.id.topic, sequence: Int64(post.version), in: tx)
  }

  static func reportDeleted(_ post: Post, in tx: Transaction) throws {
    try MediaUses.report([], of: post.id.topic, sequence: Int64(post.version) + 1, in: tx)
  }
}
