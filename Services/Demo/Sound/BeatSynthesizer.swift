import Foundation

/// Plays a beat: drums, bass, chords and a melody, of oscillators and noise.
struct BeatSynthesizer {
  static let sampleRate = 44_100
  private static let bars = 8

  private let beat: Beat
  private var random: DemoRandom
  private var left: [Float]
  private var right: [Float]
  /// Samples of a sixteenth.
  private let step: Int

  private init(_ beat: Beat, seed: UInt64) {
    self.beat = beat
    random = DemoRandom(seed, "sound.\(beat.number)")
    step = Self.sampleRate * 15 / beat.tempo
    let length = step * 16 * Self.bars
    left = [Float](repeating: 0, count: length)
    right = left
  }

  /// A WAV file of eight bars, which can be repeated without a seam.
  static func play(_ beat: Beat, seed: UInt64) -> [UInt8] {
    var synthesizer = BeatSynthesizer(beat, seed: seed)
    if !beat.isOpen { synthesizer.drums() }
    synthesizer.harmony()
    synthesizer.melody()
    return WAV.encode(synthesizer.left, synthesizer.right, sampleRate: sampleRate)
  }

  // MARK: - drums

  private mutating func drums() {
    let kick = Self.kick(), snare = noise(seconds: 0.18, decay: 22, tone: 185), hat = noise(seconds: 0.05, decay: 90)
    let pattern = beat.style.drums
    for bar in 0..<Self.bars {
      let begin = bar * 16
      for sixteenth in pattern.kick { mix(kick, at: begin + sixteenth, level: 0.9) }
      for sixteenth in pattern.snare { mix(snare, at: begin + sixteenth, level: 0.5, pan: 0.05) }
      for sixteenth in pattern.hat {
        mix(hat, at: begin + sixteenth, level: sixteenth % 4 == 0 ? 0.2 : 0.13, pan: 0.3)
      }
      // A fill at the end of every fourth bar.
      if bar % 4 == 3 {
        for sixteenth in 13...15 { mix(snare, at: begin + sixteenth, level: 0.22 + Float(sixteenth - 13) * 0.08) }
      }
    }
  }

  /// A sine whose pitch falls quickly.
  private static func kick() -> [Float] {
    var phase = 0.0
    return (0..<Int(0.32 * Double(sampleRate))).map { index in
      let time = Double(index) / Double(sampleRate)
      phase += (46 + 130 * exp(-time * 28)) / Double(sampleRate)
      return Float(sin(2 * .pi * phase) * exp(-time * 9))
    }
  }

  private mutating func noise(seconds: Double, decay: Double, tone: Double? = nil) -> [Float] {
    var previous = 0.0
    var samples: [Float] = []
    for index in 0..<Int(seconds * Double(Self.sampleRate)) {
      let time = Double(index) / Double(Self.sampleRate)
      let white = random.fraction() * 2 - 1
      // The difference of neighbors has the high tones only.
      let hiss = (white - previous) * 0.6
      previous = white
      let body = tone.map { sin(2 * .pi * $0 * time) * exp(-time * 30) } ?? 0
      samples.append(Float((hiss + body) * exp(-time * decay)))
    }
    return samples
  }

  // MARK: - harmony

  private mutating func harmony() {
    for bar in 0..<Self.bars {
      let chord = beat.style.progression[bar % 4]
      let begin = bar * 16
      for (voice, degree) in [0, 2, 4, 6].enumerated() {
        let pan = (Float(voice) - 1.5) * 0.35
        let note = pitch(chord + degree, octave: 4)
        let isStabbed = beat.style == .house
        for sixteenth in isStabbed ? [0, 3, 6, 10, 14] : [0] {
          let length = isStabbed ? 2 : 16
          mix(pad(note, sixteenths: length), at: begin + sixteenth, level: 0.075, pan: pan)
        }
      }
      let deep = pitch(chord, octave: beat.style == .ambient ? 3 : 2)
      let pulse = beat.isOpen || beat.style == .ambient ? [0] : beat.style.drums.kick
      for (index, sixteenth) in pulse.enumerated() {
        let next = index + 1 < pulse.count ? pulse[index + 1] : 16
        mix(bass(deep, sixteenths: next - sixteenth), at: begin + sixteenth, level: 0.34)
      }
    }
  }

  private func pitch(_ degree: Int, octave: Int) -> Double {
    // A is 440 Hz, nine half tones above C of octave 4.
    440 * pow(2, Double(beat.root + beat.halfTones(degree) - 9 + (octave - 4) * 12) / 12)
  }

  /// Two saw teeth, slightly apart, behind a filter that opens.
  private func pad(_ frequency: Double, sixteenths: Int) -> [Float] {
    let count = step * sixteenths
    var (filtered, first, second) = (0.0, 0.0, 0.25)
    return (0..<count).map { index in
      let progress = Double(index) / Double(count)
      first += frequency * 1.003 / Double(Self.sampleRate)
      second += frequency * 0.997 / Double(Self.sampleRate)
      let saw = (first - first.rounded(.down)) + (second - second.rounded(.down)) - 1
      filtered += (saw - filtered) * (0.05 + 0.07 * sin(.pi * progress))
      return Float(filtered * min(1, progress * 14) * min(1, (1 - progress) * 9))
    }
  }

  private func bass(_ frequency: Double, sixteenths: Int) -> [Float] {
    let count = step * sixteenths
    return (0..<count).map { index in
      let time = Double(index) / Double(Self.sampleRate)
      let wave = sin(2 * .pi * frequency * time) + 0.3 * sin(4 * .pi * frequency * time)
      let rest = Double(count - index) / Double(Self.sampleRate)
      return Float(wave * min(1, time * 200) * min(1, rest * 60) * exp(-time * 1.2))
    }
  }

  // MARK: - melody

  /// A phrase of two bars that comes again, with echoes.
  private mutating func melody() {
    var phrase: [(sixteenth: Int, degree: Int)] = []
    var degree = 7
    for sixteenth in stride(from: 0, to: 32, by: 2) where random.chance(0.45) {
      degree = max(4, min(13, degree + random.number(in: -2...2)))
      phrase.append((sixteenth, degree))
    }
    for repetition in 0..<Self.bars / 2 where !(repetition == 0 && beat.style != .ambient) {
      for note in phrase {
        let sound = bell(pitch(note.degree, octave: 4))
        let begin = repetition * 32 + note.sixteenth
        mix(sound, at: begin, level: 0.13, pan: -0.25)
        mix(sound, at: begin + 3, level: 0.05, pan: 0.5)
        mix(sound, at: begin + 6, level: 0.025, pan: -0.5)
      }
    }
  }

  private func bell(_ frequency: Double) -> [Float] {
    (0..<Int(0.6 * Double(Self.sampleRate))).map { index in
      let time = Double(index) / Double(Self.sampleRate)
      let color = sin(2 * .pi * frequency * 2.01 * time) * 1.4 * exp(-time * 7)
      return Float(sin(2 * .pi * frequency * time + color) * min(1, time * 300) * exp(-time * 5))
    }
  }

  /// Adds a sound; what goes on after the end is heard at the beginning.
  private mutating func mix(_ sound: [Float], at sixteenth: Int, level: Float, pan: Float = 0) {
    var index = sixteenth * step % left.count
    let (toLeft, toRight) = (level * min(1, 1 - pan), level * min(1, 1 + pan))
    for sample in sound {
      left[index] += sample * toLeft
      right[index] += sample * toRight
      index += 1
      if index == left.count { index = 0 }
    }
  }
}

/// Sound files without compression.
enum WAV {
  /// 16 bits, two channels; loud parts are bent instead of cut.
  static func encode(_ left: [Float], _ right: [Float], sampleRate: Int) -> [UInt8] {
    let bytes = left.count * 4
    var file: [UInt8] = []
    file.reserveCapacity(bytes + 44)
    file += Array("RIFF".utf8) + little(bytes + 36, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    file += little(1, 2) + little(2, 2) + little(sampleRate, 4) + little(sampleRate * 4, 4) + little(4, 2)
    file += little(16, 2) + Array("data".utf8) + little(bytes, 4)
    for (first, second) in zip(left, right) {
      for sample in [first, second] {
        let value = Int16(max(-1, min(1, tanh(sample * 1.2))) * 32_000)
        file.append(UInt8(truncatingIfNeeded: value))
        file.append(UInt8(truncatingIfNeeded: value >> 8))
      }
    }
    return file
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
