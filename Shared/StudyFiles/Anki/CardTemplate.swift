/// One side of a card's template: text in which `{{Field}}`, `{{filter:Field}}`, `{{#Field}}…{{/Field}}` and
/// `{{^Field}}…{{/Field}}` refer to the fields of a note.
struct CardTemplate {
  private indirect enum Node {
    case text([UInt8])
    case field(name: String, filters: [String])
    case section(name: String, isInverted: Bool, [Node])
  }

  /// The values a template is rendered with.
  struct Values {
    var fields: [String: [UInt8]]
    /// The number of the cloze deletion; `nil` for a note type without them.
    var cloze: Int?
    var isAnswer: Bool
    /// The rendered front, for `{{FrontSide}}`.
    var front: [UInt8] = []
  }

  private static let maxDepth = 16
  /// The most nodes of all templates of a note type. Templates of people have a few dozen.
  static let maxNodes = 20_000

  private let nodes: [Node]
  /// Whether the template shows the rendered front and no field.
  let showsOnlyFront: Bool
  /// How many texts, fields, filters and sections the template has; more than ``maxNodes`` are not kept.
  private(set) var nodeCount = 0

  init(_ source: [UInt8]) {
    var frames: [(name: String, isInverted: Bool, nodes: [Node])] = [("", false, [])]
    var names: Set<String> = []
    var offset = 0
    while nodeCount <= Self.maxNodes, let open = source.firstIndex(of: "{{", from: offset),
      let close = source.firstIndex(of: "}}", from: open)
    {
      if offset < open { frames[frames.count - 1].nodes.append(.text(Array(source[offset..<open]))) }
      nodeCount += offset < open ? 2 : 1
      offset = close + 2
      let tag = String(decoding: source[(open + 2)..<close], as: UTF8.self).trimmed
      let name = String(tag.dropFirst()).trimmed
      switch tag.first {
      case "#", "^":
        if frames.count <= Self.maxDepth { frames.append((name, tag.first == "^", [])) }
      case "/":
        // Sections that are not closed end with the one around them.
        guard let match = frames.lastIndex(where: { $0.name == name }), match > 0 else { continue }
        while frames.count > match { Self.endSection(&frames) }
      case "!", nil: continue
      default:
        let split = tag.split(separator: ":", maxSplits: Self.maxNodes, omittingEmptySubsequences: false)
        var parts = split.map { String($0).trimmed }
        nodeCount += parts.count
        let name = parts.popLast() ?? ""
        names.insert(name)
        frames[frames.count - 1].nodes.append(.field(name: name, filters: parts.reversed()))
      }
    }
    frames[frames.count - 1].nodes.append(.text(Array(source[offset...])))
    while frames.count > 1 { Self.endSection(&frames) }
    nodes = frames[0].nodes
    showsOnlyFront = names == ["FrontSide"]
  }

  private static func endSection(_ frames: inout [(name: String, isInverted: Bool, nodes: [Node])]) {
    let section = frames.removeLast()
    frames[frames.count - 1].nodes.append(
      .section(name: section.name, isInverted: section.isInverted, section.nodes))
  }

  /// The HTML of this side.
  /// - Parameter work: Is reduced by the number of bytes that were looked at.
  /// - Returns: `nil` when the result is longer than `maxBytes`, or took much more work.
  func render(_ values: Values, maxBytes: Int, work: inout Int64) -> [UInt8]? {
    var html: [UInt8] = []
    var budget = 8 * maxBytes
    let isComplete = Self.render(nodes, values, maxBytes, &budget, into: &html)
    work -= Int64(8 * maxBytes - budget + html.count)
    return isComplete ? html : nil
  }

  private static func render(
    _ nodes: [Node], _ values: Values, _ maxBytes: Int, _ budget: inout Int, into html: inout [UInt8]
  ) -> Bool {
    for node in nodes {
      switch node {
      case .text(let text): html += text
      case .field(let name, let filters):
        budget -= values.fields[name]?.count ?? 1
        html += field(name, filters, values, &budget)
      case .section(let name, let isInverted, let nodes):
        budget -= values.fields[name]?.count ?? 1
        guard isSet(name, values) != isInverted else { continue }
        guard render(nodes, values, maxBytes, &budget, into: &html) else { return false }
      }
      guard html.count <= maxBytes, budget > 0 else { return false }
    }
    return true
  }

  private static func isSet(_ name: String, _ values: Values) -> Bool {
    if let cloze = values.cloze, name == "c\(cloze)" { return true }
    guard let field = values.fields[name], !field.isEmpty else { return false }
    let content = HTMLText(field)
    return !content.text.isBlank || !content.media.isEmpty
  }

  private static func field(_ name: String, _ filters: [String], _ values: Values, _ budget: inout Int) -> [UInt8] {
    if name == "FrontSide" { return values.front }
    guard var text = values.fields[name] else { return [] }
    for filter in filters where budget > 0 {
      switch filter {
      case "cloze", "cloze-only":
        guard let number = values.cloze else { break }
        budget -= text.count
        text = ClozeText(text).render(number, isAnswer: values.isAnswer)
      // The question has an input in place of what is to be typed.
      case "type" where !values.isAnswer: text = []
      case _ where filter.hasPrefix("tts"): text = []
      // Hints, furigana and the filters of add-ons show the field.
      default: break
      }
    }
    return text
  }
}
