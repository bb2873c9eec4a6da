import Foundation
import MediaFiles
import TestKit
import Testing

struct ThumbHashTests {
  private struct Sample {
    var width: Int
    var height: Int
    var pixels: [UInt8]
  }

  /// Smooth gradients with noise, opaque and transparent, of all ratios.
  private static func sample(_ random: inout SeededGenerator) -> Sample {
    let width = Int.random(in: 1...100, using: &random), height = Int.random(in: 1...100, using: &random)
    let isOpaque = Bool.random(using: &random), noise = Int.random(in: 1...80, using: &random)
    let corners = (0..<16).map { _ in Double.random(in: 0...255, using: &random) }
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (right, down) = (Double(x) / Double(width), Double(y) / Double(height))
        for band in 0..<4 {
          let top = corners[band] * (1 - right) + corners[band + 4] * right
          let bottom = corners[band + 8] * (1 - right) + corners[band + 12] * right
          let value = Int(top * (1 - down) + bottom * down) + Int.random(in: -noise...noise, using: &random)
          pixels.append(band == 3 && isOpaque ? 255 : UInt8(min(max(value, 0), 255)))
        }
      }
    }
    return Sample(width: width, height: height, pixels: pixels)
  }

  @Test func hashesEqualThoseOfTheReference() async throws {
    var random = SeededGenerator()
    let samples = (0..<200).map { _ in Self.sample(&random) }
    let lines = samples.map { "\($0.width) \($0.height) \(hexadecimal($0.pixels))\n" }.joined()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/thumb_hashes.py"
    let expected = try await Command.run([Python.path(), script], input: lines).split(separator: "\n")
    try #require(expected.count == samples.count)
    for (sample, hash) in zip(samples, expected) {
      let own = ThumbHash.encode(width: sample.width, height: sample.height, pixels: sample.pixels)
      #expect(own.map(hexadecimal) == String(hash), "\(sample.width) × \(sample.height), \(random)")
    }
  }

  @Test func sizesThatDoNotFitAreRefused() {
    #expect(ThumbHash.encode(width: 101, height: 1, pixels: .init(repeating: 0, count: 404)) == nil)
    #expect(ThumbHash.encode(width: 2, height: 2, pixels: [1, 2, 3, 4]) == nil)
    #expect(ThumbHash.encode(width: 0, height: 0, pixels: []) == nil)
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
