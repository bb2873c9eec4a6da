import NIOCore

/// A range of a file that the system copies to the socket (`sendfile`): its bytes never enter the process. A page that is
/// not in memory is read from the disk meanwhile, as nginx does it.
final class FileSender {
  /// Two regions wait for the socket, so that it is never idle.
  private static let regionBytes = 1 << 20
  private static let maxRegions = 2
  /// The bytes that count as progress: the deadline of a client that reads slowly starts again.
  private static let progressBytes = 32 << 10

  private let file: OpenFile
  private let range: Range<Int>
  private let pace: StoredBody.Pace?
  private let start: Double
  private var next: Int
  private var regions = 0
  private var knownSent = 0

  /// - Parameter now: Seconds of any monotonic clock.
  init(_ file: OpenFile, _ range: Range<Int>, _ pace: StoredBody.Pace?, at now: Double) {
    (self.file, self.range, self.pace) = (file, range, pace)
    (start, next) = (now, range.lowerBound)
  }

  /// The next region to write; `nil` while enough of them wait, and after the last.
  func nextRegion() -> FileRegion? {
    guard regions < Self.maxRegions, next < range.upperBound else { return nil }
    let end = min(next + Self.regionBytes, range.upperBound)
    defer { next = end }
    regions += 1
    return FileRegion(fileHandle: file.handle, readerIndex: next, endIndex: end)
  }

  /// Called when a region has been sent.
  ///
  /// - Returns: Whether it was the last one.
  func regionSent() -> Bool {
    regions -= 1
    return regions == 0 && next == range.upperBound
  }

  enum Progress {
    case none, some
    /// The file ends before its range, or the client is too slow.
    case failed
  }

  /// The progress since the last call.
  ///
  /// - Parameter unsent: The bytes that wait for the socket.
  func check(unsent: Int, at now: Double) -> Progress {
    let sent = next - range.lowerBound - unsent
    // The system copies nothing of a truncated file, without an error.
    if file.isTruncated(before: next) { return .failed }
    if let pace, !pace.allows(sent, in: now - start) { return .failed }
    guard sent - knownSent >= Self.progressBytes else { return .none }
    knownSent = sent
    return .some
  }
}
