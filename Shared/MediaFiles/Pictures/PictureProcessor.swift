import Threads

/// A file made of a picture: encoded anew, without metadata, and not larger than the picture.
public struct DerivedPicture: Sendable, Equatable {
  public enum Format: String, Sendable, CaseIterable {
    case jpeg, png, webp

    public var contentType: String { "image/\(rawValue)" }
  }

  /// One of ``PictureProcessor/widths``, which it may be narrower than; `nil` for the whole picture.
  public var nominalWidth: Int?
  public var format: Format
  public var path: String
}

/// The pictures that are made of one.
public struct DerivedPictures: Sendable, Equatable {
  /// Pixels of the largest file, turned and cropped.
  public var width: Int
  public var height: Int
  public var thumbHash: [UInt8]
  public var files: [DerivedPicture]
}

/// Reads pictures of the formats JPEG, PNG, WebP, GIF, HEIC and AVIF, and derives others from them, by libvips.
public struct PictureProcessor: Sendable {
  /// The widths of the small pictures, in pixels. None is more than four times as high.
  public static let widths = [64, 160, 320, 640, 1280, 2048]
  /// The maximum number of decoded pixels.
  public static let maxPixels = 100_000_000
  /// The maximum side of the whole picture without metadata, in pixels; larger ones are reduced.
  public static let maxSide = 8192

  private let tools: ToolRunner
  private let limits: ToolLimits

  /// - Parameter seconds: For each step, by the clock. Tools have a low priority: on a busy machine, the limit of their
  ///   processor time comes much later.
  public init(tools: ToolRunner, seconds: Double = 300) {
    self.tools = tools
    limits = ToolLimits(time: .seconds(seconds), processorSeconds: 90, memory: 3 << 30, fileBytes: 1 << 30)
  }

  /// Reads the header of a picture. Nothing is decoded, so that the size of a bomb is known before it is one.
  ///
  /// - Parameter folder: For temporary files.
  /// - Throws: ``MediaFileError``: `invalidContent` for what is no picture or one of another format, `tooLarge`.
  public func inspect(_ path: String, in folder: String) async throws -> PictureInfo {
    let header = try await run(.vipsheader, ["-a", path], in: folder)
    let info = try PictureInfo(header: String(decoding: header, as: UTF8.self))
    guard info.width <= Self.maxPixels / info.height else { throw MediaFileError.tooLarge }
    return info
  }

  /// Makes a picture for everyone and smaller ones of it.
  ///
  /// - Parameter folder: An empty folder, which contains intermediate files afterwards, too.
  /// - Parameter edit: Fits the picture's size.
  /// - Throws: ``MediaFileError``.
  public func derive(
    from path: String, _ info: PictureInfo, edit: PictureEdit = .init(), in folder: String
  ) async throws -> DerivedPictures {
    guard edit.fits(width: info.width, height: info.height) else { throw MediaFileError.invalidContent }
    var whole = try await master(of: path, info, in: folder)
    if edit.quarterTurns > 0 {
      try await vips(["rot", "\(whole).tif", "turned.tif", "d\(edit.quarterTurns * 90)"], in: folder)
      whole = "turned"
    }
    if let crop = edit.crop {
      let frame = Self.scaled(crop, info, edit, to: try await size(of: "\(whole).tif", in: folder))
      let numbers = [frame.left, frame.top, frame.width, frame.height].map(String.init)
      try await vips(["crop", "\(whole).tif", "cropped.tif"] + numbers, in: folder)
      whole = "cropped"
    }
    let (width, height) = try await size(of: "\(whole).tif", in: folder)
    var files = [try await encode(["copy", "\(whole).tif"], [], Self.wholeFormat(of: info), nil, info, in: folder)]
    // The first that is as wide as the picture is the last.
    let last = Self.widths.first { $0 >= width } ?? .max
    for nominal in Self.widths where nominal <= last {
      for format in [DerivedPicture.Format.webp, .jpeg] {
        let box = ["\(nominal)", "--height", "\(nominal * 4)", "--size", "down", "--no-rotate"]
        files.append(try await encode(["thumbnail", "\(whole).tif"], box, format, nominal, info, in: folder))
      }
    }
    let hash = try await thumbHash(of: "\(whole).tif", in: folder)
    return DerivedPictures(width: width, height: height, thumbHash: hash, files: files)
  }

  /// The pixels in the orientation in which they are shown, in a file for further steps.
  private func master(of path: String, _ info: PictureInfo, in folder: String) async throws -> String {
    let box = ["\(Self.maxSide)", "--height", "\(Self.maxSide)", "--size", "down", "--fail-on", "truncated"]
    let colors = info.keepsProfile || info.isSRGB ? [] : ["--export-profile", "srgb"]
    try await vips(["thumbnail", path, "master.tif"] + box + colors, in: folder)
    return "master"
  }

  private static func wholeFormat(of info: PictureInfo) -> DerivedPicture.Format {
    switch info.format {
    case .jpeg: .jpeg
    case .webp: .webp
    case .png, .gif: .png
    case .heif: info.hasAlpha ? .webp : .jpeg
    }
  }

  /// A rectangle in a master that is smaller than the picture.
  private static func scaled(
    _ crop: PictureEdit.Crop, _ info: PictureInfo, _ edit: PictureEdit, to size: (width: Int, height: Int)
  ) -> PictureEdit.Crop {
    let (width, height) = size
    let full = edit.quarterTurns % 2 == 0 ? (info.width, info.height) : (info.height, info.width)
    let left = min(crop.left * width / full.0, width - 1), top = min(crop.top * height / full.1, height - 1)
    return .init(
      left: left, top: top, width: min(max(1, crop.width * width / full.0), width - left),
      height: min(max(1, crop.height * height / full.1), height - top))
  }

  private func size(of file: String, in folder: String) async throws -> (width: Int, height: Int) {
    let header = try await run(.vipsheader, ["-a", file], in: folder)
    let fields = VipsHeader(String(decoding: header, as: UTF8.self))
    guard let width = fields.number("width"), let height = fields.number("height") else {
      throw MediaFileError.invalidContent
    }
    return (width, height)
  }

  private func encode(
    _ operation: [String], _ options: [String], _ format: DerivedPicture.Format, _ nominal: Int?, _ info: PictureInfo,
    in folder: String
  ) async throws -> DerivedPicture {
    let name = nominal.map { "thumbnail-\($0)" } ?? "picture"
    let quality =
      switch format {
      case .jpeg: "[Q=\(nominal == nil ? 90 : 82),optimize-coding,background=255]"
      case .webp: "[Q=\(nominal == nil ? 90 : 80)]"
      case .png: ""
      }
    let suffix = format == .jpeg ? "jpg" : format.rawValue
    let raw = "raw.\(suffix)", path = "\(folder)/\(name).\(suffix)"
    try await vips(operation + [raw + quality] + options, in: folder)
    try await PictureMetadata.strip("\(folder)/\(raw)", to: path, format, keepsProfile: info.keepsProfile)
    return DerivedPicture(nominalWidth: nominal, format: format, path: path)
  }

  private func thumbHash(of file: String, in folder: String) async throws -> [UInt8] {
    let options = ["100", "--height", "100", "--size", "down", "--no-rotate", "--export-profile", "srgb"]
    try await vips(["thumbnail", file, "hash.v"] + options, in: folder)
    let hash = try await BlockingThreads.files.run {
      try VipsFile.withFile("\(folder)/hash.v") {
        ThumbHash.encode(width: $0.width, height: $0.height, pixels: try $0.pixels())
      }
    }
    guard let hash else { throw MediaFileError.invalidContent }
    return hash
  }

  private func vips(_ arguments: [String], in folder: String) async throws {
    try await run(.vips, arguments, in: folder)
  }

  @discardableResult
  private func run(_ tool: MediaTool, _ arguments: [String], in folder: String) async throws -> [UInt8] {
    do {
      return try await tools.run(tool, arguments, in: folder, limits: limits)
    } catch MediaFileError.failed {
      // The type is known by the content before: what fails is damaged.
      throw MediaFileError.invalidContent
    }
  }
}
