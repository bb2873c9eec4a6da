import Contracts
import ServiceKit

enum Blocks {
  /// What is for connections ends with the connection, which matching ends.
  static let feature = ReportedBlocks { _, _ in }
}
