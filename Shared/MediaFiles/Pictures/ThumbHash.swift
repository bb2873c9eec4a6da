import Foundation

/// A picture in about 25 bytes, to show while it is loaded. It keeps the ratio of the sides and transparency.
///
/// The algorithm is that of <https://github.com/evanw/thumbhash> (Evan Wallace, MIT license).
public enum ThumbHash {
  /// - Parameter pixels: Red, green, blue and alpha of each pixel, not premultiplied, row by row; at most 100 × 100.
  /// - Returns: `nil` when the size does not fit the pixels or is larger.
  public static func encode(width: Int, height: Int, pixels: [UInt8]) -> [UInt8]? {
    guard (1...100).contains(width), (1...100).contains(height), pixels.count == width * height * 4 else { return nil }
    let colors = Colors(pixels)
    let longer = Double(max(width, height)), most = colors.hasAlpha ? 5.0 : 7.0
    let columns = max(1, rounded(most * Double(width) / longer)), rows = max(1, rounded(most * Double(height) / longer))
    func channel(_ values: [Double], _ columns: Int, _ rows: Int) -> Channel {
      Channel(values, width: width, height: height, columns: columns, rows: rows)
    }
    let light = channel(colors.light, max(3, columns), max(3, rows))
    let yellowBlue = channel(colors.yellowBlue, 3, 3), redGreen = channel(colors.redGreen, 3, 3)
    let alpha = colors.hasAlpha ? channel(colors.alpha, 5, 5) : nil
    let isLandscape = width > height
    let first =
      rounded(63 * light.constant) | rounded(31.5 + 31.5 * yellowBlue.constant) << 6
      | rounded(31.5 + 31.5 * redGreen.constant) << 12 | rounded(31 * light.scale) << 18
      | (colors.hasAlpha ? 1 << 23 : 0)
    let second =
      (isLandscape ? rows : columns) | rounded(63 * yellowBlue.scale) << 3 | rounded(63 * redGreen.scale) << 9
      | (isLandscape ? 1 << 15 : 0)
    var hash = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 0xFF) }
    if let alpha { hash.append(UInt8(rounded(15 * alpha.constant) | rounded(15 * alpha.scale) << 4)) }
    let factors = (light.factors + yellowBlue.factors + redGreen.factors + (alpha?.factors ?? [])).map {
      UInt8(rounded(15 * $0))
    }
    for index in stride(from: 0, to: factors.count, by: 2) {
      hash.append(factors[index] | (index + 1 < factors.count ? factors[index + 1] << 4 : 0))
    }
    return hash
  }

  /// Rounds halves up, as the reference does.
  private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

  /// The pixels as lightness and two color differences, laid over their average color.
  private struct Colors {
    var light: [Double] = [], yellowBlue: [Double] = [], redGreen: [Double] = [], alpha: [Double] = []
    let hasAlpha: Bool

    init(_ pixels: [UInt8]) {
      var average = [0.0, 0.0, 0.0], opacity = 0.0
      for start in stride(from: 0, to: pixels.count, by: 4) {
        let alpha = Double(pixels[start + 3]) / 255
        for color in 0..<3 { average[color] += alpha / 255 * Double(pixels[start + color]) }
        opacity += alpha
      }
      if opacity > 0 { average = average.map { $0 / opacity } }
      hasAlpha = opacity < Double(pixels.count / 4)
      for start in stride(from: 0, to: pixels.count, by: 4) {
        let alpha = Double(pixels[start + 3]) / 255
        func color(_ index: Int) -> Double {
          average[index] * (1 - alpha) + alpha / 255 * Double(pixels[start + index])
        }
        let (red, green, blue) = (color(0), color(1), color(2))
        light.append((red + green + blue) / 3)
        yellowBlue.append((red + green) / 2 - blue)
        redGreen.append(red - green)
        self.alpha.append(alpha)
      }
    }
  }

  /// The cosine transform of a channel: its constant, and the lower frequencies scaled to 0…1.
  private struct Channel {
    var constant = 0.0
    var factors: [Double] = []
    var scale = 0.0

    init(_ values: [Double], width: Int, height: Int, columns: Int, rows: Int) {
      for row in 0..<rows {
        let vertical = (0..<height).map { cos(Double.pi / Double(height) * Double(row) * (Double($0) + 0.5)) }
        for column in 0..<columns where column * rows < columns * (rows - row) {
          let horizontal = (0..<width).map { cos(Double.pi / Double(width) * Double(column) * (Double($0) + 0.5)) }
          var factor = 0.0
          for y in 0..<height {
            for x in 0..<width { factor += values[x + y * width] * horizontal[x] * vertical[y] }
          }
          factor /= Double(width * height)
          if row == 0, column == 0 { constant = factor } else { factors.append(factor) }
        }
      }
      scale = factors.map(abs).max() ?? 0
      if scale > 0 { factors = factors.map { [scale] in 0.5 + 0.5 / scale * $0 } }
    }
  }
}
