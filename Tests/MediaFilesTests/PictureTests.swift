import Foundation
import MediaFiles
import TestKit
import Testing

struct PictureTests {
  private let processor = PictureProcessor(tools: ToolRunner(), seconds: Waiting.limit)

  private func derive(_ path: String, _ fixtures: PictureFixtures, _ edit: PictureEdit = .init()) async throws
    -> DerivedPictures
  {
    let info = try await processor.inspect(path, in: fixtures.folder)
    return try await processor.derive(from: path, info, edit: edit, in: fixtures.outFolder())
  }

  private func withFixtures(_ body: (PictureFixtures) async throws -> Void) async throws {
    try await withFolder { try await body(PictureFixtures(folder: $0)) }
  }

  // MARK: what is derived

  @Test(arguments: ["a.jpg", "a.png", "a.webp", "a.heic", "a.avif", "a.gif"])
  func picturesOfEachFormatBecomeSmallOnes(_ name: String) async throws {
    try await withFixtures { fixtures in
      let derived = try await derive(fixtures.quarters(name), fixtures)
      #expect(derived.width == 400)
      #expect(derived.height == 200)
      #expect(derived.files.compactMap(\.nominalWidth) == [64, 64, 160, 160, 320, 320, 640, 640])
      for file in derived.files where file.nominalWidth ?? 640 != 320 {
        #expect(try await fixtures.quarterColors(of: file.path) == ["red", "green", "blue", "white"])
        let width = Int(try await Command.run(["vipsheader", "-f", "width", file.path]).dropLast())
        #expect(width == min(file.nominalWidth ?? 400, 400))
      }
    }
  }

  @Test(arguments: [
    (1, ["red", "green", "blue", "white"]), (2, ["green", "red", "white", "blue"]),
    (3, ["white", "blue", "green", "red"]), (4, ["blue", "white", "red", "green"]),
    (5, ["red", "blue", "green", "white"]), (6, ["blue", "red", "white", "green"]),
    (7, ["white", "green", "blue", "red"]), (8, ["green", "white", "red", "blue"]),
  ])
  func theOrientationIsApplied(_ orientation: Int, _ colors: [String]) async throws {
    try await withFixtures { fixtures in
      let path = try await fixtures.quarters("a.jpg")
      try await fixtures.addPrivateMetadata("a.jpg", ["-Orientation#=\(orientation)"])
      let derived = try await derive(path, fixtures)
      #expect(derived.width == (orientation < 5 ? 400 : 200))
      for file in derived.files where file.nominalWidth ?? 64 == 64 {
        #expect(try await fixtures.quarterColors(of: file.path) == colors)
      }
    }
  }

  @Test(arguments: ["a.jpg", "a.png", "a.webp", "a.heic"])
  func nothingPrivateRemains(_ name: String) async throws {
    try await withFixtures { fixtures in
      let path = try await fixtures.quarters(name)
      try await fixtures.addPrivateMetadata(name)
      let before = try await fixtures.privateMetadata(of: path)
      #expect(before.count > 5)
      for file in try await derive(path, fixtures).files {
        let after = try await fixtures.privateMetadata(of: file.path)
        #expect(after == [])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        #expect(bytes.range(of: Data("SECRET".utf8)) == nil)
      }
    }
  }

  @Test func aColorProfileIsKept() async throws {
    try await withFixtures { fixtures in
      _ = try await fixtures.quarters("a.png")
      try await fixtures.vips("copy", "a.png", ["p3.jpg[profile=p3]"])
      let derived = try await derive(fixtures.path("p3.jpg"), fixtures)
      for file in derived.files {
        #expect(try await fixtures.metadata(of: file.path).contains { $0.hasPrefix("[ICC_Profile]") })
      }
    }
  }

  @Test func printColorsBecomeThoseOfScreens() async throws {
    try await withFixtures { fixtures in
      _ = try await fixtures.quarters("a.png")
      try await fixtures.vips("icc_export", "a.png", ["cmyk.jpg", "--output-profile", "cmyk"])
      for file in try await derive(fixtures.path("cmyk.jpg"), fixtures).files {
        #expect(try await Command.run(["vipsheader", "-f", "bands", file.path]) == "3\n")
        #expect(try await fixtures.quarterColors(of: file.path).first == "red")
      }
    }
  }

  @Test func sixteenBitsBecomeEight() async throws {
    try await withFixtures { fixtures in
      _ = try await fixtures.quarters("a.png")
      try await fixtures.vips("colourspace", "a.png", ["deep.png", "rgb16"])
      let derived = try await derive(fixtures.path("deep.png"), fixtures)
      for file in derived.files where file.nominalWidth != nil {
        #expect(try await fixtures.quarterColors(of: file.path) == ["red", "green", "blue", "white"])
        #expect(try await Command.run(["vipsheader", file.path]).contains(" uchar,"))
      }
    }
  }

  @Test func transparencyStaysInWebPAndIsWhiteInJPEG() async throws {
    try await withFixtures { fixtures in
      try await fixtures.vips("black", "clear.png", ["100", "100", "--bands", "4"])
      for file in try await derive(fixtures.path("clear.png"), fixtures).files where file.nominalWidth != nil {
        let point = try await Command.run(["vips", "getpoint", file.path, "20", "20"])
        let bands = point.split(separator: " ").compactMap {
          Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        #expect(file.format == .webp ? bands.last == 0 : bands == [255, 255, 255])
      }
    }
  }

  @Test func oneFrameOfAnAnimationIsUsed() async throws {
    try await withFixtures { fixtures in
      let source = ["-f", "lavfi", "-i", "testsrc=size=120x80:rate=5", "-t", "2"]
      try await Command.run(["ffmpeg", "-loglevel", "error"] + source + ["a.webp"], folder: fixtures.folder)
      #expect(try await processor.inspect(fixtures.path("a.webp"), in: fixtures.folder).pages == 10)
      let derived = try await derive(fixtures.path("a.webp"), fixtures)
      #expect(derived.height == 80)
      #expect(try await processor.inspect(derived.files[0].path, in: fixtures.folder).pages == 1)
    }
  }

  // MARK: turned and cropped

  @Test(arguments: [
    (PictureEdit(quarterTurns: 1), 200, 400, ["blue", "red", "white", "green"]),
    (
      PictureEdit(crop: .init(left: 200, top: 0, width: 200, height: 100)), 200, 100,
      Array(repeating: "green", count: 4)
    ),
    (
      PictureEdit(quarterTurns: 2, crop: .init(left: 0, top: 0, width: 200, height: 100)), 200, 100,
      Array(repeating: "white", count: 4)
    ),
  ])
  func aPictureIsTurnedThenCropped(_ edit: PictureEdit, _ width: Int, _ height: Int, _ colors: [String]) async throws {
    try await withFixtures { fixtures in
      let derived = try await derive(fixtures.quarters("a.jpg"), fixtures, edit)
      #expect(derived.width == width)
      #expect(derived.height == height)
      for file in derived.files where file.nominalWidth ?? 64 == 64 {
        #expect(try await fixtures.quarterColors(of: file.path) == colors)
      }
    }
  }

  @Test(arguments: [
    PictureEdit(quarterTurns: 4), PictureEdit(crop: .init(left: 1, top: 0, width: 400, height: 200)),
    PictureEdit(crop: .init(left: -1, top: 0, width: 10, height: 10)),
    PictureEdit(crop: .init(left: 0, top: 0, width: 0, height: 10)),
    PictureEdit(crop: .init(left: .max, top: 0, width: .max, height: 10)),
    PictureEdit(quarterTurns: 1, crop: .init(left: 0, top: 0, width: 201, height: 10)),
  ])
  func partsOutsideThePictureDoNotFit(_ edit: PictureEdit) { #expect(!edit.fits(width: 400, height: 200)) }

  // MARK: bad input

  @Test func aBombIsRefusedByItsHeader() async throws {
    try await withFixtures { fixtures in
      // Zeros, packed: a file of some KB that takes 7.5 GB when it is decoded.
      let program = """
        import struct, sys, zlib
        def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", 50000, 50000, 8, 2, 0, 0, 0))
        rows = zlib.compress(bytes(150001 * 20))
        open(sys.argv[1], "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
        """
      try await Command.run(["python3", "-c", program, fixtures.path("bomb.png")])
      await #expect(throws: MediaFileError.tooLarge) {
        try await processor.inspect(fixtures.path("bomb.png"), in: fixtures.folder)
      }
    }
  }

  @Test func aTruncatedPictureIsNotDerived() async throws {
    try await withFixtures { fixtures in
      let path = try await fixtures.quarters("a.jpg", width: 2000, height: 1000)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
      await #expect(throws: MediaFileError.invalidContent) { try await derive(path, fixtures) }
    }
  }

  @Test(arguments: [
    "", "text", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>alert(1)</script></svg>",
    "%PDF-1.4\n", "P3 2 2 255 0 0 0 0 0 0 0 0 0 0 0 0", "push graphic-context\nimage over 0,0 0,0 'https://a/b'",
  ])
  func otherFilesAreRefused(_ content: String) async throws {
    try await withFixtures { fixtures in
      try Data(content.utf8).write(to: URL(fileURLWithPath: fixtures.path("a.jpg")))
      await #expect(throws: MediaFileError.invalidContent) {
        try await processor.inspect(fixtures.path("a.jpg"), in: fixtures.folder)
      }
    }
  }

  @Test func whatIsHiddenInAPictureIsNotCopied() async throws {
    try await withFixtures { fixtures in
      let path = try await fixtures.quarters("a.jpg")
      let page = Data("<html><script>alert('SECRET')</script></html>".utf8)
      try await fixtures.addPrivateMetadata("a.jpg", ["-Comment=\(String(decoding: page, as: UTF8.self))"])
      try (Data(contentsOf: URL(fileURLWithPath: path)) + page).write(to: URL(fileURLWithPath: path))
      for file in try await derive(path, fixtures).files {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        #expect(bytes.range(of: Data("<script".utf8)) == nil)
      }
    }
  }
}
