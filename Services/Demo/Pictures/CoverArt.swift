import Foundation

/// Covers of beats: an abstract landscape in the mood of the style.
enum CoverArt {
  static func draw(_ beat: Beat, seed: UInt64, side: Int = 640) throws -> [UInt8] {
    var random = DemoRandom(seed, "cover.\(beat.number)")
    let hue = Double(beat.style.hue) / 360 + (random.fraction() - 0.5) * 0.12
    let dark = Color(hue: hue, saturation: 0.6, lightness: 0.14)
    let light = Color(hue: hue + 0.12, saturation: 0.75, lightness: 0.62)
    var canvas = Canvas(side: side, from: dark, to: dark.mixed(with: light, 0.75))
    switch random.below(4) {
    case 0: sunset(&canvas, dark, light, &random)
    case 1: rings(&canvas, light, &random)
    case 2: skyline(&canvas, dark, light, &random)
    default: waves(&canvas, dark, light, &random)
    }
    return try PNG.encode(canvas)
  }

  private static func sunset(_ canvas: inout Canvas, _ dark: Color, _ light: Color, _ random: inout DemoRandom) {
    // Stripes that grow toward the horizon.
    var sun = Shape.circle(0.5, 0.52, 0.27)
    for stripe in 0..<5 {
      let (y, height) = (0.52 + Double(stripe) * 0.055, 0.006 + Double(stripe) * 0.004)
      sun = sun.without(.box(0.5, y, 0.3, height))
    }
    canvas.fill(sun, light.lighter)
    for layer in 0..<3 {
      let (phase, height) = (random.fraction() * 6, 0.7 + Double(layer) * 0.09)
      let ground = dark.mixed(with: light, 0.28 - Double(layer) * 0.13)
      canvas.fill(.below { height + 0.05 * sin($0 * 7 + phase) + 0.02 * sin($0 * 19 + phase) }, ground)
    }
  }

  private static func rings(_ canvas: inout Canvas, _ light: Color, _ random: inout DemoRandom) {
    let (x, y) = (0.3 + random.fraction() * 0.4, 0.3 + random.fraction() * 0.4)
    for index in 0..<11 {
      let opacity = 0.9 - Double(index) * 0.075
      canvas.fill(.ring(x, y, 0.05 + Double(index) * 0.068, 0.008 + Double(index % 3) * 0.006), light, opacity: opacity)
    }
    canvas.fill(.circle(x, y, 0.028), light.lighter)
    for _ in 0..<26 {
      canvas.fill(.circle(random.fraction(), random.fraction(), 0.003 + random.fraction() * 0.005), light.lighter)
    }
  }

  private static func skyline(_ canvas: inout Canvas, _ dark: Color, _ light: Color, _ random: inout DemoRandom) {
    canvas.fill(Shape.circle(0.72, 0.24, 0.09).without(.circle(0.685, 0.215, 0.085)), light.lighter)
    for layer in 0..<2 {
      var x = -0.02
      while x < 1 {
        let (width, height) = (0.04 + random.fraction() * 0.05, 0.2 + random.fraction() * (0.36 - Double(layer) * 0.14))
        let wall = dark.mixed(with: light, 0.24 - Double(layer) * 0.2)
        canvas.fill(.box(x + width, 1 - height, width, height), wall)
        for floor in 0..<Int(height * 28) {
          for window in 0..<3 where random.chance(0.4) {
            let center = (x + width * (0.45 + Double(window) * 0.55), 1.02 - height * 2 + Double(floor) * 0.055)
            canvas.fill(.box(center.0, center.1, 0.007, 0.01), light.lighter, opacity: 0.8)
          }
        }
        x += width * 2.1
      }
    }
  }

  private static func waves(_ canvas: inout Canvas, _ dark: Color, _ light: Color, _ random: inout DemoRandom) {
    let speed = 3 + random.fraction() * 4
    for index in 0..<9 {
      let (base, phase) = (0.16 + Double(index) * 0.1, Double(index) * 0.7 + random.fraction())
      let color = dark.mixed(with: light, 1 - Double(index) / 9)
      canvas.fill(.below { base + 0.06 * sin($0 * speed + phase) * (1.2 - $0 * 0.4) }, color, opacity: 0.85)
    }
  }
}
