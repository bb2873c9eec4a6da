import Contracts
import Persistence
import PlatformRules
import ServiceKit

extension ToolID {
  var topic: Topic { Topic("tool", rawValue) }
}

/// The pictures of tools, which everyone may load.
enum ToolMedia {
  static func wanted(_ change: Patch<MediaID>, from known: MediaID? = nil) -> [MediaUses.Wanted] {
    MediaUses.Wanted.change(change, from: known, .image, at: "body.image")
  }

  static func report(_ tool: Tool, in tx: Transaction) throws {
    let uses = [tool.image.map { MediaUse($0, .public) }].compactMap { $0 }
    try MediaUses.report(uses, of: tool.id.topic, sequence: Int64(tool.version), in: tx)
  }

  static func reportDeleted(_ tool: Tool, in tx: Transaction) throws {
    try MediaUses.report([], of: tool.id.topic, sequence: Int64(tool.version) + 1, in: tx)
  }
}
