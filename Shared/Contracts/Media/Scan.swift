/// The recognition of the text in a picture or a PDF file.
public struct Scan: Codable, Sendable, Equatable {
  public var media: MediaID
  public var state: ScanState
  /// Only in the state `failed`.
  public var failure: MediaFailure?
  /// Known when the file has been examined.
  public var pages: Int?
  /// Pages whose text can be read.
  public var finishedPages: Int

  public init(
    media: MediaID, state: ScanState, failure: MediaFailure? = nil, pages: Int? = nil, finishedPages: Int = 0
  ) {
    (self.media, self.state, self.failure) = (media, state, failure)
    (self.pages, self.finishedPages) = (pages, finishedPages)
  }
}

public enum ScanState: String, WireEnum {
  case queued, scanning, ready, failed
}

public struct ScannedPage: Codable, Sendable, Equatable {
  /// From 1.
  public var page: Int
  public var text: String
  /// From 0 to 100, of recognized text; absent where the file contains text.
  public var confidence: Int?
  /// The reason why the page could not be read.
  public var failure: MediaFailure?

  public init(page: Int, text: String, confidence: Int? = nil, failure: MediaFailure? = nil) {
    (self.page, self.text, self.confidence, self.failure) = (page, text, confidence, failure)
  }
}
