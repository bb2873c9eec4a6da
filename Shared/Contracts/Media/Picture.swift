/// How a picture's owner has turned and cropped it: first it is turned, then cropped.
public struct PictureCrop: Codable, Sendable, Equatable {
  public var quarterTurns: QuarterTurns
  /// In pixels of the turned picture; the whole of it by default.
  public var rectangle: PictureRectangle?
  public init(quarterTurns: QuarterTurns = .init(checked: 0), rectangle: PictureRectangle? = nil) {
    (self.quarterTurns, self.rectangle) = (quarterTurns, rectangle)
  }
}

/// Clockwise turns by 90 degrees, 0 to 3.
public struct QuarterTurns: BoundedInteger {
  public static let range = 0...3
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 1) }
}

/// A part of a picture, in pixels from its upper left corner.
public struct PictureRectangle: Codable, Sendable, Equatable {
  public var left, top: PictureOffset
  public var width, height: PictureLength
  public init(left: PictureOffset, top: PictureOffset, width: PictureLength, height: PictureLength) {
    (self.left, self.top, self.width, self.height) = (left, top, width, height)
  }
}

public struct PictureOffset: BoundedInteger {
  public static let range = 0...100_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 0) }
}

public struct PictureLength: BoundedInteger {
  public static let range = 1...100_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 320) }
}

/// A picture as it was uploaded, and how it is cropped.
public struct CroppedPicture: Codable, Sendable, Equatable {
  /// Pixels, in the orientation in which it is shown, before it is turned.
  public var width, height: Int
  public var crop: PictureCrop
  public init(width: Int, height: Int, crop: PictureCrop) {
    (self.width, self.height, self.crop) = (width, height, crop)
  }
}

public enum ThumbnailFormat: String, WireEnum {
  case webp, jpeg
}
