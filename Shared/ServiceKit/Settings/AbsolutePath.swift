import Foundation

extension String {
  /// This path from the root; a relative one is in the folder in which the process was started.
  package var absolutePath: String { URL(fileURLWithPath: self).path }
}
