import Contracts
import Foundation
import MediaFiles

/// What is made of an uploaded file.
struct DerivedContent: Sendable {
  var files: [DerivedFile] = []
  var properties = MediaProperties()
}

/// Makes of uploaded files what apps show and play.
struct MediaDerivation: Sendable {
  let converter: MediaConverter
  let pictures: PictureProcessor
  let folders: ProcessingFolders
  /// The path of a recording.
  let previewTag: String?

  /// - Parameters:
  ///   - kind: By the content's first bytes.
  ///   - found: Called when the file has been examined.
  /// - Throws: ``MediaFileError``.
  func derive(
    _ kind: MediaKind, _ contentType: String, from path: String, in folder: String,
    found: () async throws -> Void, progress: ProcessingProgress
  ) async throws -> DerivedContent {
    switch kind {
    case .image:
      let info = try await pictures.inspect(path, in: folder)
      try await found()
      return try await picture(path, info, in: folder)
    case .audio, .video:
      let probe = try await converter.probe(path, in: folder)
      try await found()
      // By its first bytes, a container with a recording only looks like a video.
      guard kind == .video, probe.kind == .video else {
        return try await recording(path, probe, contentType, in: folder, progress)
      }
      return try await video(path, probe, in: folder, progress)
    case .document:
      try await found()
      return DerivedContent()
    }
  }

  private func picture(_ path: String, _ info: PictureInfo, in folder: String) async throws -> DerivedContent {
    let made = try await pictures.derive(from: path, info, in: folders.makeFolder("pictures", in: folder))
    let properties = MediaProperties(
      width: made.width, height: made.height, thumbHash: Data(made.thumbHash).base64EncodedString())
    return DerivedContent(files: made.files.map(DerivedFile.init), properties: properties)
  }

  private func recording(
    _ path: String, _ probe: MediaProbe, _ contentType: String, in folder: String, _ progress: ProcessingProgress
  ) async throws -> DerivedContent {
    var content = DerivedContent(properties: MediaProperties(kind: .audio))
    let (waveforms, milliseconds) = try await converter.waveforms(
      of: path, probe, in: folder, progress: progress.part(from: 0, to: 50))
    content.properties.milliseconds = milliseconds
    for waveform in waveforms {
      content.files.append(try await folders.run { [converter] in try converter.write(waveform, in: folder) })
    }
    let tag = try await tag(in: folder)
    let preview = try await converter.preview(of: path, probe, milliseconds: milliseconds, tag: tag, in: folder)
    content.files.append(DerivedFile(name: MediaFileName.preview, path: preview, contentType: "audio/mpeg"))
    if contentType != "audio/mpeg" {
      let mp3 = try await converter.mp3(of: path, probe, in: folder, progress: progress.part(from: 60, to: 100))
      content.files.append(DerivedFile(name: MediaFileName.mp3, path: mp3, contentType: "audio/mpeg"))
    }
    return content
  }

  private func tag(in folder: String) async throws -> PreviewTag {
    guard let previewTag else { return .tones }
    let probe = try await converter.probe(previewTag, in: folder)
    return .recording(path: previewTag, seconds: Double(probe.milliseconds ?? 1000) / 1000)
  }

  private func video(_ path: String, _ probe: MediaProbe, in folder: String, _ progress: ProcessingProgress)
    async throws -> DerivedContent
  {
    let poster = try await converter.poster(of: path, probe, in: folder)
    let renditions = try await converter.renditions(
      of: path, probe, in: folder, progress: progress.part(from: 0, to: 90))
    let mp4 = try await converter.mp4(of: path, probe, renditions, in: folder)
    var content = DerivedContent(files: renditions.files)
    content.files += [
      DerivedFile(name: MediaFileName.poster, path: poster, contentType: "image/jpeg"),
      DerivedFile(name: MediaFileName.mp4, path: mp4, contentType: "video/mp4"),
    ]
    content.properties = MediaProperties(
      milliseconds: renditions.milliseconds, width: probe.video?.width, height: probe.video?.height)
    do {
      let shown = try await picture(poster, pictures.inspect(poster, in: folder), in: folder)
      content.files += shown.files.filter { $0.name.hasPrefix("thumbnail-") }
      content.properties.thumbHash = shown.properties.thumbHash
    } catch MediaFileError.toolMissing(.vips) {
      // The video plays without small pictures; that vips is missing is logged at the start.
    }
    return content
  }
}

extension DerivedFile {
  init(_ picture: DerivedPicture) {
    let name = picture.path.split(separator: "/").last.map(String.init) ?? picture.path
    self.init(name: name, path: picture.path, contentType: picture.format.contentType)
  }
}
