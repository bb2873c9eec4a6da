import Contracts
import Foundation
import MediaFiles

/// The files that are made of an uploaded one.
struct DerivedContent: Sendable {
  var files: [DerivedFile] = []
  var properties = MediaProperties()
  /// The derived pictures, stored already.
  var picture: PictureWork.Made?
}

/// Makes of uploaded files what apps show and play.
struct MediaDerivation: Sendable {
  let converter: MediaConverter
  let pictures: PictureWork
  let folders: ProcessingFolders
  /// The limits of the disk: that it is full is noticed before hours of work.
  let limits: StorageLimits
  /// The path of a recording.
  let previewTag: String?

  /// - Parameters:
  ///   - found: Called when the file has been examined.
  /// - Throws: ``MediaFileError``; ``Problem`` 507, and from the storage.
  func derive(
    _ media: Media, from path: String, in folder: String, found: () async throws -> Void,
    progress: ProcessingProgress
  ) async throws -> DerivedContent {
    switch media.kind {
    case .image:
      try await found()
      let made = try await pictures.make(
        media.id, from: path, in: folders.makeFolder("pictures", in: folder))
      return DerivedContent(properties: made.properties, picture: made)
    case .audio, .video:
      let probe = try await converter.probe(path, in: folder)
      try await found()
      // The first bytes of a container with a recording only look like a video.
      guard media.kind == .video, probe.kind == .video else {
        return try await recording(path, probe, media.contentType, in: folder, progress)
      }
      return try await video(path, probe, in: folder, progress)
    case .document:
      try await found()
      return DerivedContent()
    }
  }

  private func recording(
    _ path: String, _ probe: MediaProbe, _ contentType: String, in folder: String, _ progress: ProcessingProgress
  ) async throws -> DerivedContent {
    try limits.requireSpace(for: converter.space(forRecording: probe))
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
    try limits.requireSpace(for: await converter.space(forVideo: path, probe))
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
      let (files, thumbHash) = try await thumbnails(of: poster, in: folder)
      content.files += files
      content.properties.thumbHash = thumbHash
    } catch MediaFileError.toolMissing {
      // The video plays without small pictures; that their program is missing is logged at the start.
    }
    return content
  }

  private func thumbnails(of poster: String, in folder: String) async throws -> ([DerivedFile], thumbHash: String) {
    let folder = try await folders.makeFolder("pictures", in: folder)
    let info = try await pictures.processor.inspect(poster, in: folder)
    let made = try await pictures.processor.derive(from: poster, info, in: folder)
    let files = made.files.compactMap { file in
      file.nominalWidth.map { width in
        DerivedFile(
          name: MediaFileName.thumbnail(width, file.format), path: file.path, contentType: file.format.contentType)
      }
    }
    return (files, Data(made.thumbHash).base64EncodedString())
  }
}
