import Foundation
import Logging

/// How many files and connections the process may have open.
enum OpenFiles {
  /// The number of files that Linux permits a process by default (`fs.nr_open`); some systems set no limit, or one of a
  /// thousand million.
  private static let maxFiles: rlim_t = 1 << 20

  /// Raises the soft limit, which most systems set to 1,024 for programs that use `select`, to the hard one: each
  /// connection is a file. Converters of media set their own limit.
  static func raiseLimit(_ logger: Logger) {
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return }
    let (before, wanted) = (limit.rlim_cur, min(limit.rlim_max, maxFiles))
    guard before < wanted else { return logger.debug("open files", metadata: ["limit": "\(before)"]) }
    limit.rlim_cur = wanted
    guard setrlimit(kind, &limit) == 0 else {
      return logger.warning("the limit of open files cannot be raised", metadata: ["limit": "\(before)"])
    }
    logger.debug("open files", metadata: ["limit": "\(wanted)", "before": "\(before)"])
  }

  #if canImport(Glibc)
    private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let kind = RLIMIT_NOFILE
  #endif
}
