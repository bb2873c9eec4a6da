import Foundation

/// A color of the sRGB space, with components from 0 to 1.
struct Color {
  var red: Double
  var green: Double
  var blue: Double

  init(_ red: Double, _ green: Double, _ blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }

  /// Creates a color from its hexadecimal digits, such as `0xFFAA00`.
  init(_ digits: Int) {
    self.init(Double(digits >> 16 & 255) / 255, Double(digits >> 8 & 255) / 255, Double(digits & 255) / 255)
  }

  /// - Parameter hue: From 0 to 1.
  init(hue: Double, saturation: Double, lightness: Double) {
    func component(_ offset: Double) -> Double {
      let position = (offset + hue * 12).truncatingRemainder(dividingBy: 12)
      return lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(position - 3, 9 - position, 1))
    }
    self.init(component(0), component(8), component(4))
  }

  func mixed(with other: Color, _ share: Double) -> Color {
    Color(
      red + (other.red - red) * share, green + (other.green - green) * share, blue + (other.blue - blue) * share)
  }

  var darker: Color { mixed(with: Color(0, 0, 0), 0.22) }
  var lighter: Color { mixed(with: Color(1, 1, 1), 0.3) }
}

/// A shape by the distance of each point from its edge: negative inside. Coordinates go from 0 to 1 in a square.
struct Shape {
  /// The bounds of the shape.
  let left: Double, top: Double, right: Double, bottom: Double
  let distance: (_ x: Double, _ y: Double) -> Double

  static func ellipse(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Shape {
    Shape(left: x - width, top: y - height, right: x + width, bottom: y + height) { px, py in
      let (dx, dy) = ((px - x) / width, (py - y) / height)
      return ((dx * dx + dy * dy).squareRoot() - 1) * min(width, height)
    }
  }

  static func circle(_ x: Double, _ y: Double, _ radius: Double) -> Shape { ellipse(x, y, radius, radius) }

  static func ring(_ x: Double, _ y: Double, _ radius: Double, _ thickness: Double) -> Shape {
    let outer = radius + thickness
    return Shape(left: x - outer, top: y - outer, right: x + outer, bottom: y + outer) { px, py in
      abs(((px - x) * (px - x) + (py - y) * (py - y)).squareRoot() - radius) - thickness
    }
  }

  static func box(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, corner: Double = 0
  ) -> Shape {
    Shape(left: x - width, top: y - height, right: x + width, bottom: y + height) { px, py in
      let (dx, dy) = (abs(px - x) - width + corner, abs(py - y) - height + corner)
      let outside = (max(dx, 0) * max(dx, 0) + max(dy, 0) * max(dy, 0)).squareRoot()
      return outside + min(max(dx, dy), 0) - corner
    }
  }

  /// A line with round ends.
  static func line(
    _ x: Double, _ y: Double, to endX: Double, _ endY: Double, _ thickness: Double
  ) -> Shape {
    let (dx, dy) = (endX - x, endY - y)
    return Shape(
      left: min(x, endX) - thickness, top: min(y, endY) - thickness, right: max(x, endX) + thickness,
      bottom: max(y, endY) + thickness
    ) { px, py in
      let share = max(0, min(1, ((px - x) * dx + (py - y) * dy) / max(1e-9, dx * dx + dy * dy)))
      let (ox, oy) = (px - x - dx * share, py - y - dy * share)
      return (ox * ox + oy * oy).squareRoot() - thickness
    }
  }

  /// The area that both shapes cover.
  func clipped(to other: Shape) -> Shape {
    Shape(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
      bottom: min(bottom, other.bottom)
    ) { max(distance($0, $1), other.distance($0, $1)) }
  }

  /// The area that the other shape does not cover.
  func without(_ other: Shape) -> Shape {
    Shape(left: left, top: top, right: right, bottom: bottom) { max(distance($0, $1), -other.distance($0, $1)) }
  }

  /// Everything below a curve.
  static func below(_ curve: @escaping (_ x: Double) -> Double) -> Shape {
    Shape(left: 0, top: 0, right: 1, bottom: 1) { curve($0) - $1 }
  }
}

/// A square picture.
struct Canvas {
  let side: Int
  private(set) var pixels: [UInt8]

  /// - Parameters: The colors at the top and at the bottom.
  init(side: Int, from top: Color, to bottom: Color) {
    self.side = side
    pixels = [UInt8](repeating: 0, count: side * side * 3)
    for row in 0..<side {
      let color = top.mixed(with: bottom, Double(row) / Double(max(1, side - 1)))
      for column in 0..<side { put(color, 1, column, row) }
    }
  }

  mutating func fill(_ shape: Shape, _ color: Color, opacity: Double = 1) {
    let scale = Double(side)
    let columns = range(shape.left, shape.right), rows = range(shape.top, shape.bottom)
    for row in rows {
      for column in columns {
        let distance = shape.distance((Double(column) + 0.5) / scale, (Double(row) + 0.5) / scale) * scale
        // A pixel on the edge is covered in part.
        if distance < 0.5 { put(color, min(1, 0.5 - distance) * opacity, column, row) }
      }
    }
  }

  private func range(_ low: Double, _ high: Double) -> Range<Int> {
    let first = max(0, Int(low * Double(side)) - 1)
    return first..<max(first, min(side, Int(high * Double(side)) + 2))
  }

  private mutating func put(_ color: Color, _ share: Double, _ column: Int, _ row: Int) {
    let offset = (row * side + column) * 3
    pixels[offset] = Self.blend(pixels[offset], color.red, share)
    pixels[offset + 1] = Self.blend(pixels[offset + 1], color.green, share)
    pixels[offset + 2] = Self.blend(pixels[offset + 2], color.blue, share)
  }

  private static func blend(_ old: UInt8, _ new: Double, _ share: Double) -> UInt8 {
    UInt8(max(0, min(255, Double(old) + (new * 255 - Double(old)) * share)))
  }
}
