/// One size in which a video is offered.
public struct Rendition: Sendable, Equatable {
  /// The length of the shorter side, such as `720p`.
  public let name: String
  public let width: Int
  public let height: Int
  /// The bit rate of the picture, as an upper limit.
  public let bitsPerSecond: Int
  public let audioBitsPerSecond: Int

  private static let shortSides = [360, 720, 1080]

  /// The sizes for a video, the smallest first. None is larger than the video, except that a side has at least the two
  /// pixels that 4:2:0 needs; the video's own size is among them unless one is almost as large or it exceeds 1080p.
  public static func ladder(for video: MediaProbe.Video) -> [Rendition] {
    let own = video.shortSide
    var sides = shortSides.filter { $0 <= own }
    if own < 1080, Double(own) >= 1.25 * Double(sides.last ?? 0) { sides.append(own) }
    return sides.map { Rendition(video, shortSide: $0) }
  }

  init(_ video: MediaProbe.Video, shortSide: Int) {
    let scale = Double(shortSide) / Double(video.shortSide)
    func even(_ length: Int) -> Int { max(2, Int((Double(length) * scale).rounded()) / 2 * 2) }
    (width, height) = (even(video.width), even(video.height))
    name = "\(shortSide)p"
    switch shortSide {
    case ...360: (bitsPerSecond, audioBitsPerSecond) = (800_000, 96_000)
    case ...480: (bitsPerSecond, audioBitsPerSecond) = (1_400_000, 96_000)
    case ...720: (bitsPerSecond, audioBitsPerSecond) = (2_800_000, 128_000)
    default: (bitsPerSecond, audioBitsPerSecond) = (5_000_000, 128_000)
    }
  }
}
