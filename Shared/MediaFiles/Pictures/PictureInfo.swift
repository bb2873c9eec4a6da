/// The properties in the header of a picture.
public struct PictureInfo: Sendable, Equatable {
  public enum Format: String, Sendable {
    case jpeg, png, webp, gif, heif
  }

  public var format: Format
  /// Pixels, in the orientation in which it is shown.
  public var width: Int
  public var height: Int
  /// The number of pages of an animation or a collection; only the first is used.
  public var pages: Int
  public var hasAlpha: Bool
  /// Whether its color profile is kept. Others are large or not for RGB, and its colors become sRGB.
  var keepsProfile: Bool
  var isSRGB: Bool

  /// Reads what `vipsheader -a` writes.
  /// - Throws: ``MediaFileError/invalidContent`` unless it is a picture of a format above.
  init(header: String) throws {
    let fields = VipsHeader(header)
    let formats: [Substring: Format] = [
      "jpegload": .jpeg, "pngload": .png, "webpload": .webp, "gifload": .gif, "heifload": .heif,
    ]
    guard let format = fields["vips-loader"].flatMap({ formats[$0] }), let width = fields.number("width"),
      let height = fields.number("height"), let bands = fields.number("bands"), width > 0, height > 0
    else { throw MediaFileError.invalidContent }
    let isTurned = (5...8).contains(fields.number("orientation") ?? 1)
    let interpretation = fields["interpretation"] ?? "", isRGB = ["srgb", "rgb16"].contains(interpretation)
    let profileBytes = fields.number("icc-profile-data")
    self.format = format
    (self.width, self.height) = isTurned ? (height, width) : (width, height)
    pages = fields.number("n-pages") ?? 1
    hasAlpha = isRGB && bands == 4 || !isRGB && bands == 2
    keepsProfile = isRGB && profileBytes.map { $0 <= 4096 } ?? false
    isSRGB = profileBytes == nil && (isRGB || ["b-w", "grey16"].contains(interpretation))
  }
}

/// The output of `vipsheader -a`: a name and a value in each line.
struct VipsHeader {
  private var fields: [Substring: Substring] = [:]

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      // The first of a name is libvips' own; a later one can be in a text of the file.
      if parts.count == 2, fields[parts[0]] == nil { fields[parts[0]] = parts[1].drop { $0 == " " } }
    }
  }

  subscript(name: Substring) -> Substring? { fields[name] }

  func number(_ name: Substring) -> Int? { fields[name].flatMap { Int($0.prefix { $0.isNumber }) } }
}

/// How a person has turned and cropped a picture: first it is turned, then cropped.
public struct PictureEdit: Sendable, Equatable {
  /// Clockwise, 0 to 3.
  public var quarterTurns: Int
  /// In pixels of the shown and turned picture; the whole of it by default.
  public var crop: Crop?

  public struct Crop: Sendable, Equatable {
    public var left, top, width, height: Int

    public init(left: Int, top: Int, width: Int, height: Int) {
      (self.left, self.top, self.width, self.height) = (left, top, width, height)
    }
  }

  public init(quarterTurns: Int = 0, crop: Crop? = nil) {
    (self.quarterTurns, self.crop) = (quarterTurns, crop)
  }

  /// Whether the rectangle lies in a picture of a size and has an area.
  public func fits(width: Int, height: Int) -> Bool {
    guard (0...3).contains(quarterTurns) else { return false }
    guard let crop else { return true }
    let (width, height) = quarterTurns % 2 == 0 ? (width, height) : (height, width)
    return crop.left >= 0 && crop.top >= 0 && crop.width > 0 && crop.height > 0
      && crop.width <= width && crop.left <= width - crop.width
      && crop.height <= height && crop.top <= height - crop.height
  }
}
