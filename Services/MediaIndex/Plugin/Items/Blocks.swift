import Contracts
import PlatformRules
import ServiceKit

enum Blocks {
  /// Rights of connections end with the connection, which matching ends.
  static let feature = ReportedBlocks { _, _ in }
}
