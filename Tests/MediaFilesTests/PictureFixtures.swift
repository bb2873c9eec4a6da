import Foundation
import MediaFiles
import TestKit

/// Pictures made by libvips and exiftool, in a folder.
struct PictureFixtures {
  let folder: String

  /// A picture whose quarters are red, green, blue and white, from the upper left, row by row.
  func quarters(_ name: String, width: Int = 400, height: Int = 200) async throws -> String {
    let colors = ["255 0 0", "0 255 0", "0 0 255", "255 255 255"]
    for (index, color) in colors.enumerated() {
      let size = ["\(width / 2)", "\(height / 2)", "--bands", "3"]
      try await vips("black", "black\(index).v", size)
      try await vips("linear", "black\(index).v", ["quarter\(index).v", "1", color, "--uchar"])
    }
    try await vips("join", "quarter0.v", ["quarter1.v", "top.v", "horizontal"])
    try await vips("join", "quarter2.v", ["quarter3.v", "bottom.v", "horizontal"])
    try await vips("join", "top.v", ["bottom.v", "whole.v", "vertical"])
    try await vips("copy", "whole.v", ["srgb.v", "--interpretation", "srgb"])
    try await vips("copy", "srgb.v", [name])
    return path(name)
  }

  func vips(_ operation: String, _ first: String, _ rest: [String]) async throws {
    try await Command.run(["vips", operation, first] + rest, folder: folder)
  }

  /// Writes metadata of every kind that a camera or an editor writes.
  func addPrivateMetadata(_ name: String, _ more: [String] = []) async throws {
    let tags = [
      "-GPSLatitude=52.5", "-GPSLatitudeRef=N", "-GPSLongitude=13.4", "-GPSLongitudeRef=E", "-SerialNumber=SECRET",
      "-Artist=SECRET", "-XMP:Creator=SECRET", "-XMP:Description=SECRET", "-Make=SECRET",
    ]
    let ofJPEG = name.hasSuffix(".jpg") ? ["-Comment=SECRET", "-IPTC:By-line=SECRET"] : []
    let arguments = ["exiftool", "-q", "-overwrite_original"] + tags + ofJPEG + more + [name]
    try await Command.run(arguments, folder: folder)
  }

  /// The names of everything that exiftool finds, by group.
  func metadata(of path: String) async throws -> [String] {
    let text = try await Command.run(["exiftool", "-a", "-G1", "-s", "-u", path])
    return text.split(separator: "\n").map(String.init)
  }

  /// The metadata that exiftool finds beyond the properties of the pixels.
  func privateMetadata(of path: String) async throws -> [String] {
    let harmless = ["[ExifTool]", "[System]", "[File]", "[RIFF]", "[PNG]", "[JFIF]", "[Composite]"]
    let lines = try await metadata(of: path)
    return lines.filter { line in line.contains("SECRET") || !harmless.contains { line.hasPrefix($0) } }
  }

  /// The color of each quarter of a picture as ffmpeg sees it, each band rounded to 0 or 255.
  func quarterColors(of path: String) async throws -> [String] {
    let raw = self.path(UUID().uuidString)
    let scale = ["-vf", "format=gbrp,scale=2:2:flags=area,format=rgb24", "-f", "rawvideo", raw]
    try await Command.run(["ffmpeg", "-loglevel", "error", "-i", path] + scale)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: raw)))
    return stride(from: 0, to: bytes.count - 2, by: 3).map { offset in
      let pixel = bytes[offset..<offset + 3].map { $0 > 127 }
      return Self.names[pixel] ?? "\(bytes[offset..<offset + 3])"
    }
  }

  private static let names: [[Bool]: String] = [
    [true, false, false]: "red", [false, true, false]: "green", [false, false, true]: "blue",
    [true, true, true]: "white",
  ]

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// An empty folder for what is derived.
  func outFolder() throws -> String {
    let out = path(UUID().uuidString)
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
    return out
  }
}
