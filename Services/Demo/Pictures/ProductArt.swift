import Foundation

/// Pictures of what the shop sells.
enum ProductArt {
  static func draw(_ product: DemoProduct, seed: UInt64, side: Int = 640) throws -> [UInt8] {
    var random = DemoRandom(seed, "product.\(product.sku)")
    let ground = Color(hue: random.fraction(), saturation: 0.3, lightness: 0.93)
    var canvas = Canvas(side: side, from: ground, to: ground.darker.mixed(with: ground, 0.75))
    canvas.fill(.ellipse(0.5, 0.86, 0.26, 0.03), Color(0, 0, 0), opacity: 0.1)
    let (color, accent) = (Color(product.color), Color(product.accent))
    switch product.kind {
    case .bow: bow(&canvas, color, accent)
    case .earrings: earrings(&canvas, color, accent)
    case .keychain: keychain(&canvas, color, accent)
    case .garland: garland(&canvas, color, accent)
    case .tool: tool(&canvas, color, accent)
    }
    return try PNG.encode(canvas)
  }

  private static func bow(_ canvas: inout Canvas, _ color: Color, _ accent: Color) {
    for side in [-1.0, 1] {
      canvas.fill(.line(0.5 + side * 0.03, 0.52, to: 0.5 + side * 0.15, 0.8, 0.055), color.darker)
      canvas.fill(.ellipse(0.5 + side * 0.2, 0.43, 0.19, 0.135), color)
      canvas.fill(.ellipse(0.5 + side * 0.2, 0.43, 0.1, 0.06), color.darker)
      canvas.fill(.line(0.5 + side * 0.07, 0.43, to: 0.5 + side * 0.3, 0.37, 0.007), color.lighter, opacity: 0.7)
      for dot in 0..<5 {
        let angle = Double(dot) * 1.25
        canvas.fill(.circle(0.5 + side * (0.2 + 0.14 * cos(angle)), 0.43 + 0.1 * sin(angle), 0.011), accent)
      }
    }
    canvas.fill(.box(0.5, 0.44, 0.06, 0.075, corner: 0.03), color.darker)
    canvas.fill(.box(0.5, 0.44, 0.042, 0.06, corner: 0.025), accent)
  }

  private static func earrings(_ canvas: inout Canvas, _ color: Color, _ accent: Color) {
    for side in [-1.0, 1] {
      let x = 0.5 + side * 0.17
      canvas.fill(.ring(x, 0.25, 0.045, 0.008), Color(0xB9953B))
      canvas.fill(.line(x, 0.295, to: x, 0.37, 0.006), Color(0xB9953B))
      canvas.fill(.ellipse(x, 0.55, 0.11, 0.17), color)
      canvas.fill(.ellipse(x, 0.58, 0.07, 0.11), accent)
      canvas.fill(.ellipse(x, 0.6, 0.035, 0.055), color.darker)
      canvas.fill(.ellipse(x - 0.05, 0.47, 0.018, 0.04), color.lighter, opacity: 0.8)
      canvas.fill(.circle(x, 0.77, 0.028), accent.darker)
    }
  }

  private static func keychain(_ canvas: inout Canvas, _ color: Color, _ accent: Color) {
    canvas.fill(.ring(0.5, 0.22, 0.085, 0.012), Color(0x9AA0A8))
    canvas.fill(.line(0.5, 0.31, to: 0.5, 0.42, 0.014), Color(0x9AA0A8))
    canvas.fill(.box(0.5, 0.6, 0.15, 0.19, corner: 0.06), color)
    canvas.fill(.box(0.5, 0.6, 0.118, 0.158, corner: 0.045), accent)
    // A heart.
    canvas.fill(.circle(0.5, 0.6, 0.03), color)
    for side in [-1.0, 1] {
      canvas.fill(.circle(0.5 + side * 0.035, 0.575, 0.042), color)
      canvas.fill(.line(0.5 + side * 0.045, 0.6, to: 0.5, 0.655, 0.022), color)
    }
  }

  private static func garland(_ canvas: inout Canvas, _ color: Color, _ accent: Color) {
    for index in 0..<24 {
      let x = 0.06 + Double(index) * 0.0383
      canvas.fill(.circle(x, 0.34 + 0.15 * sin(.pi * x), 0.007), Color(0x8A6B4C))
    }
    for index in 0..<6 {
      let x = 0.13 + Double(index) * 0.148
      let y = 0.36 + 0.15 * sin(.pi * x)
      let paint = index.isMultiple(of: 2) ? color : accent
      // A pennant narrows toward its tip.
      let pennant = Shape(left: x - 0.06, top: y, right: x + 0.06, bottom: y + 0.2) { px, py in
        max(abs(px - x) - 0.058 * (1 - (py - y) / 0.2), max(y - py, py - y - 0.2))
      }
      canvas.fill(pennant, paint)
      canvas.fill(.circle(x, y + 0.055, 0.016), paint.lighter)
    }
  }

  private static func tool(_ canvas: inout Canvas, _ color: Color, _ accent: Color) {
    for side in [-1.0, 1] {
      canvas.fill(.line(0.5, 0.52, to: 0.5 + side * 0.11, 0.2, 0.022), Color(0xAEB4BC))
      canvas.fill(.line(0.5, 0.52, to: 0.5 - side * 0.08, 0.66, 0.022), color)
      canvas.fill(.ring(0.5 - side * 0.12, 0.73, 0.075, 0.024), color)
    }
    canvas.fill(.circle(0.5, 0.52, 0.022), accent)
  }
}
