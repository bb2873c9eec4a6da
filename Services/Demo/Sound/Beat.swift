/// A piece of music, as its style, tempo and key describe it.
struct Beat: Sendable {
  enum Style: String, CaseIterable, Sendable {
    case loFi = "lo-fi"
    case trap, house, drill, ambient
    case boomBap = "boom-bap"

    /// Beats a minute.
    var tempos: ClosedRange<Int> {
      switch self {
      case .loFi: 72...86
      case .boomBap: 86...96
      case .house: 118...126
      case .trap: 136...150
      case .drill: 138...144
      case .ambient: 70...80
      }
    }

    /// In degrees, of the cover.
    var hue: Int {
      switch self {
      case .loFi: 265
      case .boomBap: 25
      case .house: 320
      case .trap: 355
      case .drill: 210
      case .ambient: 170
      }
    }

    /// The sixteenths of a bar on which a drum is heard.
    var drums: (kick: [Int], snare: [Int], hat: [Int]) {
      switch self {
      case .loFi: ([0, 7, 10], [4, 12], [0, 2, 4, 6, 8, 10, 12, 14])
      case .boomBap: ([0, 5, 8, 10], [4, 12], [0, 2, 4, 6, 8, 10, 12, 13, 14])
      case .house: ([0, 4, 8, 12], [4, 12], [2, 6, 10, 14])
      case .trap: ([0, 6, 11], [8], [0, 2, 3, 4, 6, 8, 9, 10, 12, 13, 14, 15])
      case .drill: ([0, 3, 10], [6, 14], [0, 3, 6, 8, 11, 14])
      case .ambient: ([0], [], [4, 12])
      }
    }

    /// Four chords, as steps of the scale from 0.
    var progression: [Int] {
      switch self {
      case .loFi: [0, 5, 3, 4]
      case .boomBap: [0, 0, 5, 4]
      case .house: [0, 2, 5, 4]
      case .trap: [0, 5, 2, 4]
      case .drill: [0, 0, 3, 5]
      case .ambient: [0, 3, 5, 2]
      }
    }
  }

  let number: Int
  let title: String
  let style: Style
  let tempo: Int
  /// The half tones of the root above C.
  let root: Int
  let isMinor: Bool
  /// Whether there is room for a voice: an open has no drums.
  let isOpen: Bool

  init(_ number: Int, seed: UInt64) {
    var random = DemoRandom(seed, "beat.\(number)")
    self.number = number
    style = Style.allCases[(number + random.below(2)) % Style.allCases.count]
    tempo = random.number(in: style.tempos)
    root = random.below(12)
    isMinor = random.chance(0.75)
    isOpen = number % 4 == 3
    title = BeatTexts.title(number, &random)
  }

  var key: String {
    let names = ["C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"]
    return "\(names[root]) \(isMinor ? "minor" : "major")"
  }

  /// The half tones of a step of the scale above the root.
  func halfTones(_ step: Int) -> Int {
    let scale = isMinor ? [0, 2, 3, 5, 7, 8, 10] : [0, 2, 4, 5, 7, 9, 11]
    return scale[step % 7] + step / 7 * 12
  }
}
