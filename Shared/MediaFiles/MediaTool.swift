/// The programs that convert media, run as child processes.
public enum MediaTool: String, Sendable, CaseIterable {
  case ffmpeg, ffprobe, vips, vipsheader, tesseract, pdftotext, pdftoppm
}

/// The reason why a file could not be processed.
public enum MediaFileError: Error, Equatable {
  /// The program is not installed.
  case toolMissing(MediaTool)
  /// The content is damaged, or not what it claims to be.
  case invalidContent
  /// It would take more pixels, time or memory than a file may.
  case tooLarge
  /// The disk is full.
  case storageFull
  /// The system ended the program or could not start it, such as when memory is short; it may succeed later.
  case killed(MediaTool)
  /// The program ended in an unexpected way; its output is in the text, without paths.
  case failed(MediaTool, String)
}
