import Foundation

/// A figure that shows an exercise, frame by frame.
struct WorkoutFigure {
  enum Exercise: String, CaseIterable, Sendable {
    case jumpingJacks = "Jumping jacks"
    case squats = "Squats"
    case highKnees = "High knees"
    case sideStretch = "Side stretch"

    /// The workout type under which the platform lists it.
    var workoutType: String {
      switch self {
      case .jumpingJacks: "calisthenics"
      case .squats: "squats"
      case .highKnees: "hiit"
      case .sideStretch: "stretching"
      }
    }
  }

  static let side = 480
  static let framesPerSecond = 12
  /// The motion takes two seconds and begins again.
  private static let frames = 24

  private let exercise: Exercise
  private let background: Canvas
  private let skin: Color
  private let shirt: Color
  private let shorts: Color

  init(_ exercise: Exercise, seed: UInt64, number: Int) {
    var random = DemoRandom(seed, "figure.\(number)")
    self.exercise = exercise
    let hue = random.fraction()
    let wall = Color(hue: hue, saturation: 0.5, lightness: 0.8)
    var background = Canvas(side: Self.side, from: wall.lighter, to: wall)
    background.fill(.circle(0.78, 0.2, 0.09), Color(0xFFF3D6))
    background.fill(.box(0.5, 0.95, 0.6, 0.07), wall.darker)
    background.fill(.ellipse(0.5, 0.885, 0.2, 0.018), wall.darker.darker, opacity: 0.5)
    self.background = background
    skin = random.pick([0xEBB99A, 0xB97A56, 0x8D5A3C, 0x5F3B28].map { Color($0) })
    shirt = Color(hue: hue + 0.5, saturation: 0.65, lightness: 0.45)
    shorts = Color(0x2B2F3A)
  }

  /// Every pixel of every frame: red, green, blue.
  func pixels() -> [UInt8] {
    (0..<Self.frames).flatMap { frame in draw(Double(frame) / Double(Self.frames)).pixels }
  }

  /// - Parameter time: From 0 to 1.
  private func draw(_ time: Double) -> Canvas {
    let swing = sin(2 * .pi * time), effort = (1 - cos(2 * .pi * time)) / 2
    var body = Body()
    switch exercise {
    case .jumpingJacks:
      body.lift = 0.05 * abs(swing)
      body.arms = [1.15 - 2.2 * effort, 1.15 - 2.2 * effort]
      body.stance = 0.05 + 0.13 * effort
    case .squats:
      body.crouch = 0.15 * effort
      body.arms = [1.2 - 1.2 * effort, 1.2 - 1.2 * effort]
      body.stance = 0.12
    case .highKnees:
      body.knees = [max(0, swing), max(0, -swing)]
      body.arms = [0.9 - 0.8 * max(0, -swing), 0.9 - 0.8 * max(0, swing)]
      body.lift = 0.02 * abs(swing)
    case .sideStretch:
      body.lean = 0.14 * swing
      body.arms = [-1.2 * max(0, swing) + 1.1, -1.2 * max(0, -swing) + 1.1].map { $0 < 0.5 ? $0 - 0.6 : $0 }
      body.stance = 0.12
    }
    return draw(body)
  }

  /// The posture; angles of arms in radians below the horizontal, lengths in parts of the picture.
  private struct Body {
    var lift = 0.0
    var crouch = 0.0
    var lean = 0.0
    var stance = 0.07
    /// Left and right.
    var arms = [1.2, 1.2]
    var knees = [0.0, 0.0]
  }

  private func draw(_ body: Body) -> Canvas {
    var canvas = background
    let hipY = 0.6 + body.crouch - body.lift, neckX = 0.5 + body.lean
    let neckY = hipY - 0.2 + abs(body.lean) * 0.25
    for (index, side) in [-1.0, 1].enumerated() {
      let raised = body.knees[index]
      let hip = 0.5 + side * 0.045, foot = 0.5 + side * (body.stance + 0.02)
      let kneeX = (hip + foot) / 2 + side * body.crouch * 0.5, kneeY = (hipY + 0.87) / 2 - raised * 0.11 - body.lift
      let footY = 0.87 - body.lift - raised * 0.16
      canvas.fill(.line(hip, hipY, to: kneeX, kneeY, 0.032), shorts)
      canvas.fill(.line(kneeX, kneeY, to: foot, footY, 0.024), skin)
      canvas.fill(.line(foot, footY, to: foot + side * 0.03, footY + 0.005, 0.018), Color(0xF4F4F4))
    }
    canvas.fill(.line(0.5, hipY - 0.01, to: neckX, neckY + 0.035, 0.068), shirt)
    for (index, side) in [-1.0, 1].enumerated() {
      let shoulder = (x: neckX + side * 0.062, y: neckY + 0.025), angle = body.arms[index]
      let elbow = (x: shoulder.x + side * 0.095 * cos(angle), y: shoulder.y + 0.095 * sin(angle))
      let hand = (x: elbow.x + side * 0.09 * cos(angle * 1.15), y: elbow.y + 0.09 * sin(angle * 1.15))
      canvas.fill(.line(shoulder.x, shoulder.y, to: elbow.x, elbow.y, 0.026), shirt.darker)
      canvas.fill(.line(elbow.x, elbow.y, to: hand.x, hand.y, 0.02), skin)
    }
    canvas.fill(.line(neckX, neckY, to: neckX, neckY - 0.05, 0.022), skin)
    canvas.fill(.circle(neckX + body.lean * 0.2, neckY - 0.105, 0.06), skin)
    let hair = Shape.circle(neckX + body.lean * 0.2, neckY - 0.112, 0.066)
    canvas.fill(hair.clipped(to: .box(neckX, neckY - 0.16, 0.1, 0.04)), Color(0x2B211C))
    return canvas
  }
}
