import Contracts

/// A drawn face. No one is shown: everything follows from the seed.
enum Portrait {
  private static let skins = [0xF6D7C3, 0xEBB99A, 0xD99B75, 0xB97A56, 0x8D5A3C, 0x5F3B28].map { Color($0) }
  private static let hairs = [0x1E1A18, 0x3B2417, 0x6B3F1F, 0xA8672B, 0xD9A441, 0x8A8A92, 0x8C2F1B, 0x4E342E]
    .map { Color($0) }

  private enum Hair: CaseIterable { case short, long, bun, curls, cap, none }

  static func draw(_ person: DemoPerson, seed: UInt64, side: Int = 320) throws -> [UInt8] {
    var random = DemoRandom(seed, "portrait.\(person.index)")
    let hue = random.fraction()
    let ground = Color(hue: hue, saturation: 0.55, lightness: 0.72)
    var canvas = Canvas(side: side, from: ground.lighter, to: ground)
    canvas.fill(.circle(0.5, 0.52, 0.42), ground.lighter, opacity: 0.5)

    let skin = random.pick(skins), hair = random.pick(hairs)
    let shirt = Color(hue: hue + 0.4 + random.fraction() * 0.2, saturation: 0.5, lightness: 0.45)
    let style = hairStyle(of: person, &random)
    if style == .long { canvas.fill(.box(0.5, 0.52, 0.235, 0.27, corner: 0.2), hair) }
    if style == .bun { canvas.fill(.circle(0.5, 0.17, 0.085), hair) }
    body(&canvas, skin, shirt, hasCollar: random.chance(0.4))
    face(&canvas, skin, &random)
    hairs(&canvas, style, hair, skin, cap: shirt.darker, &random)
    if person.gender == .male, random.chance(0.45) { beard(&canvas, hair) }
    if random.chance(0.3) { glasses(&canvas) }
    return try PNG.encode(canvas)
  }

  private static func hairStyle(of person: DemoPerson, _ random: inout DemoRandom) -> Hair {
    switch person.gender {
    case .female: random.pick([.long, .long, .bun, .curls, .short])
    case .male: random.pick([.short, .short, .curls, .cap, .none])
    case .nonBinary, .undisclosed: random.pick(Hair.allCases)
    }
  }

  private static func body(_ canvas: inout Canvas, _ skin: Color, _ shirt: Color, hasCollar: Bool) {
    canvas.fill(.ellipse(0.5, 1.02, 0.36, 0.3), shirt)
    canvas.fill(.box(0.5, 0.7, 0.075, 0.12, corner: 0.06), shadow(of: skin))
    if hasCollar {
      canvas.fill(.line(0.43, 0.76, to: 0.5, 0.86, 0.02), shirt.lighter)
      canvas.fill(.line(0.57, 0.76, to: 0.5, 0.86, 0.02), shirt.lighter)
    }
  }

  private static func shadow(of skin: Color) -> Color { skin.mixed(with: Color(0x6B2F16), 0.25) }

  private static func face(_ canvas: inout Canvas, _ skin: Color, _ random: inout DemoRandom) {
    for side in [-1.0, 1] { canvas.fill(.circle(0.5 + side * 0.185, 0.47, 0.04), shadow(of: skin)) }
    canvas.fill(.ellipse(0.5, 0.46, 0.19, 0.235), skin)
    let (ink, eyes) = (Color(0x2B2220), random.number(in: 72...82))
    for side in [-1.0, 1] {
      let x = 0.5 + side * Double(eyes) / 1000
      canvas.fill(.circle(x, 0.45, 0.021), ink)
      canvas.fill(.circle(x + 0.007, 0.443, 0.006), Color(1, 1, 1))
      canvas.fill(.line(x - 0.03, 0.398, to: x + 0.03, 0.394 + side * 0.004, 0.008), ink, opacity: 0.75)
      canvas.fill(.ellipse(0.5 + side * 0.11, 0.53, 0.035, 0.022), Color(0xE86A6A), opacity: 0.25)
    }
    canvas.fill(.line(0.5, 0.47, to: 0.495, 0.515, 0.007), shadow(of: skin))
    // A smile is the lower half of a ring.
    let width = 0.055 + random.fraction() * 0.03
    let lower = Shape.box(0.5, 0.66, 0.2, 0.09)
    canvas.fill(Shape.ring(0.5, 0.56 - width * 0.35, width, 0.009).clipped(to: lower), Color(0x8E2F32))
    if random.chance(0.5) {
      canvas.fill(Shape.circle(0.5, 0.56 - width * 0.35, width).clipped(to: lower), Color(1, 1, 1), opacity: 0.85)
    }
  }

  private static func hairs(
    _ canvas: inout Canvas, _ style: Hair, _ hair: Color, _ skin: Color, cap: Color, _ random: inout DemoRandom
  ) {
    let crown = Shape.ellipse(0.5, 0.4, 0.205, 0.205)
    let forehead = Shape.ellipse(0.5 + (random.fraction() - 0.5) * 0.14, 0.5, 0.2, 0.175)
    switch style {
    case .short, .bun: canvas.fill(crown.without(forehead), hair)
    case .long:
      canvas.fill(crown.without(forehead), hair)
      for side in [-1.0, 1] { canvas.fill(.line(0.5 + side * 0.2, 0.42, to: 0.5 + side * 0.2, 0.66, 0.035), hair) }
    case .curls:
      for index in 0..<9 {
        let x = 0.5 + (Double(index) - 4) * 0.05
        let y = 0.235 + (x - 0.5) * (x - 0.5) * 3.2
        canvas.fill(.circle(x, y + 0.02, 0.06), index.isMultiple(of: 2) ? hair : hair.lighter.mixed(with: hair, 0.6))
      }
    case .cap:
      canvas.fill(crown.clipped(to: .box(0.5, 0.25, 0.3, 0.1)), cap)
      canvas.fill(.box(0.56, 0.355, 0.2, 0.022, corner: 0.02), cap.darker)
    case .none: canvas.fill(.ellipse(0.45, 0.3, 0.05, 0.02), skin.lighter, opacity: 0.6)
    }
  }

  private static func beard(_ canvas: inout Canvas, _ hair: Color) {
    let jaw = Shape.ellipse(0.5, 0.56, 0.175, 0.15).without(.ellipse(0.5, 0.49, 0.17, 0.115))
    canvas.fill(jaw.clipped(to: .box(0.5, 0.65, 0.3, 0.1)), hair, opacity: 0.9)
  }

  private static func glasses(_ canvas: inout Canvas) {
    let frame = Color(0x22252B)
    for side in [-1.0, 1] { canvas.fill(.ring(0.5 + side * 0.078, 0.45, 0.052, 0.007), frame) }
    canvas.fill(.line(0.474, 0.445, to: 0.526, 0.445, 0.006), frame)
  }
}
