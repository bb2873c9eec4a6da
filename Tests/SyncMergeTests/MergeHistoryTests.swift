import SyncMerge
import TestKit
import Testing

/// Random histories of one record on several devices.
struct MergeHistoryTests {
  @Test func theOrderOfArrivalDoesNotMatter() {
    var generator = SeededGenerator()
    for _ in 0..<20_000 {
      var times = Set<HybridTime>()
      while times.count < 8 {
        times.insert(at(.random(in: 1...6, using: &generator), .random(in: 1...3, using: &generator)))
      }
      let changes = times.map { version -> TestChange in
        let seen = Bool.random(using: &generator) ? version : .zero
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return .delete(at: version, seen: seen)
        case 1: return .restore(at: version, seen: seen)
        default:
          let name = ["a", "b"].randomElement(using: &generator) ?? "a"
          return .put(name, .number(.random(in: 0...2, using: &generator)), at: version, seen: seen)
        }
      }
      var records = [TestRecord(), TestRecord()]
      for change in changes.shuffled(using: &generator) { _ = records[0].apply(change) }
      for change in changes.shuffled(using: &generator) { _ = records[1].apply(change) }
      #expect(records[0].fields == records[1].fields, "\(generator)")
      #expect(records[0].isDeleted == records[1].isDeleted, "\(generator)")
      #expect(records[0].lifecycle == records[1].lifecycle, "\(generator)")
      #expect(records[0].hash == records[1].hash, "\(generator)")
      for field in records[0].fields {
        let last = changes.filter { $0.fields.first?.name == field.name }.max { $0.version < $1.version }
        #expect(field.value == last?.fields.first?.value, "\(generator)")
      }
    }
  }

  @Test func hashesAreEqualWhenWhatIsVisibleIs() {
    var generator = SeededGenerator()
    func record() -> TestRecord {
      let fields = ["a", "b"].filter { _ in Bool.random(using: &generator) }.map { name in
        let value: TestValue = Bool.random(using: &generator) ? .number(1) : .string("1")
        return TestRecord.Field(name: name, value: value, version: at(.random(in: 1...2, using: &generator)))
      }
      let variants = Bool.random(using: &generator) ? [TestRecord.Variant(field: "a", text: "x", version: at(1))] : []
      return TestRecord(
        fields: fields, variants: variants, isDeleted: Int.random(in: 0..<4, using: &generator) == 0,
        lifecycle: at(.random(in: 0...1, using: &generator)), revision: at(.random(in: 0...9, using: &generator)))
    }
    func visible(_ record: TestRecord) -> TestRecord {
      record.isDeleted
        ? TestRecord(isDeleted: true, lifecycle: record.lifecycle)
        : TestRecord(fields: record.fields, variants: record.variants, lifecycle: record.lifecycle)
    }
    for _ in 0..<20_000 {
      let (one, other) = (record(), record())
      #expect((one.hash == other.hash) == (visible(one) == visible(other)), "\(generator)")
    }
  }

  @Test func devicesConvergeAndLoseNoEdit() {
    var generator = SeededGenerator()
    for _ in 0..<10_000 {
      var history = History(devices: .random(in: 2...4, using: &generator))
      for _ in 0..<Int.random(in: 5...30, using: &generator) { history.step(&generator) }
      history.settle()
      #expect(history.problems == [], "\(generator)")
      if !history.problems.isEmpty { return }
    }
  }
}

/// A server and devices with one record that has a text and a number.
private struct History {
  struct Device {
    var clock: HybridClock
    /// How far its clock is ahead.
    let skew: Int
    /// The record as the server last sent or confirmed it.
    var copy = TestRecord()
    var pending: [(id: Int, change: TestChange)] = []

    var view: TestRecord {
      pending.reduce(into: copy) { record, operation in _ = record.apply(operation.change, mergedTexts: texts) }
    }
  }

  var devices: [Device]
  var server = TestRecord()
  var applied = Set<Int>()
  var problems: [String] = []
  private var now = 1_000_000
  private var ids = 0
  private var words: [String] = []
  private var lastNumber: (version: HybridTime, value: Int)?
  /// The versions that the authors of deletions knew, and of those since the last restoration.
  private var known: [HybridTime: TestRecord] = [:]
  private var deletions: [TestRecord] = []

  init(devices count: Int) {
    devices = (1...count).map { Device(clock: HybridClock(device: UInt64($0)), skew: $0 * 7000 - 20_000) }
  }

  mutating func step(_ generator: inout SeededGenerator) {
    now += .random(in: 1...5000, using: &generator)
    let index = Int.random(in: 0..<devices.count, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<5: edit(index, &generator)
    case 5: delete(index)
    case 6: synchronize(index, count: .random(in: 0...2, using: &generator), losesReply: true)
    default: synchronize(index, count: .random(in: 0...9, using: &generator), losesReply: false)
    }
  }

  mutating func settle() {
    for _ in 0..<2 { for index in devices.indices { synchronize(index, count: .max, losesReply: false) } }
    for device in devices where device.copy.hash != server.hash { problems.append("a device differs") }
    check()
  }

  private mutating func version(_ index: Int) -> HybridTime {
    devices[index].clock.next(at: UInt64(now + devices[index].skew))
  }

  private mutating func add(_ change: TestChange, _ index: Int) {
    ids += 1
    devices[index].pending.append((ids, change))
  }

  private mutating func edit(_ index: Int, _ generator: inout SeededGenerator) {
    let (view, seen) = (devices[index].view, devices[index].copy.version)
    let version = version(index)
    ids += 1
    if view.isDeleted {
      add(.restore(at: version, seen: seen), index)
    } else if Bool.random(using: &generator) {
      let value = ids
      add(.put("number", .number(value), at: version, seen: seen), index)
      if version > lastNumber?.version ?? .zero { lastNumber = (version, value) }
    } else {
      // Words are only added, so that each must be somewhere in the end.
      let base = view["text"]?.text
      var parts = (base ?? "").split(separator: " ").map { String($0) }
      words.append("w\(ids)")
      parts.insert("w\(ids)", at: .random(in: 0...parts.count, using: &generator))
      add(
        .put("text", .string(parts.joined(separator: " ")), at: version, seen: seen, base: base), index)
    }
  }

  private mutating func delete(_ index: Int) {
    let view = devices[index].view
    guard !view.isDeleted, !view.fields.isEmpty else { return }
    let version = version(index)
    known[version] = view
    add(.delete(at: version, seen: devices[index].copy.version), index)
  }

  /// - Parameters:
  ///   - count: How many operations are sent; the rest comes later.
  ///   - losesReply: Whether the device does not learn what became of them.
  private mutating func synchronize(_ index: Int, count: Int, losesReply: Bool) {
    let sent = devices[index].pending.prefix(count)
    var copy = devices[index].copy
    for (id, change) in sent {
      if applied.insert(id).inserted {
        let before = server.version
        let changed = server
        let outcome = server.apply(change, mergedTexts: texts)
        if server != changed, server.version <= before { problems.append("a change without a new version") }
        if !server.isDeleted { deletions = [] }
        if server.isDeleted, let known = known[change.version] { deletions.append(known) }
        if outcome == .applied {
          _ = copy.apply(change, mergedTexts: texts)
          if !losesReply, copy.hash != server.hash { problems.append("applied, but not what the device has") }
          continue
        }
      }
      copy = server
    }
    if losesReply { return }
    devices[index].pending.removeFirst(sent.count)
    // The changes of others, which come with the same response.
    devices[index].copy = server
    devices[index].clock.observe(server.version)
  }

  private mutating func check() {
    let kept = ([server["text"]?.text ?? ""] + server.variants.map(\.text)).joined(separator: " ").split(separator: " ")
    for word in words where !kept.contains(Substring(word)) { problems.append("\(word) is lost") }
    if let lastNumber, server["number"] != .number(lastNumber.value) { problems.append("the last number lost") }
    guard server.isDeleted, !server.hasLostEdits else { return }
    let isKnown = deletions.contains { known in
      let texts = [known["text"]?.text ?? ""] + known.variants.map(\.text)
      let seen = texts.joined(separator: " ").split(separator: " ")
      return known["number"] == server["number"] && kept.allSatisfy { seen.contains($0) }
    }
    if !isKnown { problems.append("a lost edit is not reported") }
  }
}
