import Foundation
import TestKit

/// A PDF file (ISO 32000-1) with pages of text, or of pictures.
struct PDF {
  enum Page {
    case text([String])
    case jpeg([UInt8], width: Int, height: Int)
    case empty
  }

  static func bytes(_ pages: [Page], width: Int = 595, height: Int = 842) -> [UInt8] {
    var file = Array("%PDF-1.4\n".utf8)
    var offsets: [Int] = []
    func add(_ content: [UInt8]) {
      offsets.append(file.count)
      file += Array("\(offsets.count) 0 obj\n".utf8) + content + Array("\nendobj\n".utf8)
    }
    func stream(_ content: [UInt8], _ entries: String = "") -> [UInt8] {
      Array("<< /Length \(content.count) \(entries) >>\nstream\n".utf8) + content + Array("\nendstream".utf8)
    }
    let kids = pages.indices.map { "\(4 + 3 * $0) 0 R" }.joined(separator: " ")
    add(Array("<< /Type /Catalog /Pages 2 0 R >>".utf8))
    add(Array("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>".utf8))
    add(Array("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".utf8))
    for (index, page) in pages.enumerated() {
      let number = 4 + 3 * index
      add(
        Array(
          """
          << /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] /Contents \(number + 1) 0 R
          /Resources << /Font << /F 3 0 R >> /XObject << /I \(number + 2) 0 R >> >> >>
          """.utf8))
      switch page {
      case .text(let lines):
        let shown = lines.map { "(\($0)) Tj 0 -30 Td" }.joined(separator: "\n")
        add(stream(Array("BT /F 20 Tf 50 \(height - 80) Td\n\(shown)\nET".utf8)))
        add(stream([]))
      case .jpeg(let bytes, let pixelsWide, let pixelsHigh):
        add(stream(Array("q \(width - 40) 0 0 \((width - 40) * pixelsHigh / pixelsWide) 20 300 cm /I Do Q".utf8)))
        add(
          stream(
            bytes,
            """
            /Type /XObject /Subtype /Image /Width \(pixelsWide) /Height \(pixelsHigh) /ColorSpace /DeviceRGB
            /BitsPerComponent 8 /Filter /DCTDecode
            """))
      case .empty:
        add(stream([]))
        add(stream([]))
      }
    }
    let start = file.count
    let entries = offsets.map { offset in
      String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset) 00000 n \n"
    }.joined()
    file += Array("xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n\(entries)".utf8)
    file += Array("trailer << /Size \(offsets.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n".utf8)
    return file
  }
}

extension ConversionBench {
  /// A picture of lines of text, 1200 × 400 pixels.
  func picture(of lines: [String], _ name: String = "text.jpg") async throws -> String {
    let drawn = lines.enumerated().map { index, line in
      """
      drawtext=fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fontsize=48:x=40:y=\(60 + index * 90):\
      text='\(line)'
      """
    }
    let filter = (["color=white:s=1200x400"] + drawn).joined(separator: ",")
    return try await make(name, ["-f", "lavfi", "-i", filter, "-frames:v", "1", "-pix_fmt", "yuvj420p", "-q:v", "2"])
  }
}
