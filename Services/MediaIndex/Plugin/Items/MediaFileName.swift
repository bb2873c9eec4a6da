/// Names of the files of a media item that several features know.
enum MediaFileName {
  /// The uploaded file, with everything that its camera has written into it.
  static let original = "original"
  /// The beginning of the names of a picture in full size, in one or several formats.
  static let picture = "picture."
  /// The preview of a recording, with a tag that is heard, for those who have not bought it.
  static let preview = "preview.mp3"
  /// The whole recording as MP3, when the original is of another type.
  static let mp3 = "audio.mp3"
  /// The separate tracks of a recording.
  static let stems = "stems.zip"
  static let mp4 = "video.mp4"
  static let poster = "poster.jpg"

  static func waveform(_ samplesPerPixel: Int) -> String { "waveform-\(samplesPerPixel).json" }

  /// The usual end of the names of files of a type.
  static func suffix(of contentType: String) -> String { suffixes[contentType] ?? "bin" }

  private static let suffixes = [
    "application/json": "json", "application/pdf": "pdf", "application/vnd.apple.mpegurl": "m3u8",
    "audio/aac": "aac", "audio/flac": "flac", "audio/mp4": "m4a", "audio/mpeg": "mp3", "audio/ogg": "ogg",
    "audio/wav": "wav", "image/avif": "avif", "image/gif": "gif", "image/heic": "heic", "image/jpeg": "jpg",
    "image/png": "png", "image/webp": "webp", "video/mp4": "mp4", "video/quicktime": "mov", "video/webm": "webm",
    "video/x-matroska": "mkv",
  ]
}
