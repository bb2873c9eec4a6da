/// The bytes that ``JSONByteEncoder`` writes. Memory of its own, because an `Array` in a class pays for an exclusivity
/// check and a uniqueness check with every byte that is appended: a quarter of the whole encoding.
final class JSONBuffer {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: memory, count: count)) }

  @inline(__always)
  private func reserve(_ additional: Int) {
    if count + additional > capacity { grow(additional) }
  }

  @inline(never)
  private func grow(_ additional: Int) {
    capacity = max(capacity * 2, count + additional)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: memory, count: count)
    memory.deallocate()
    memory = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count += 1
  }

  func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)[...])
  }

  @inline(__always)
  func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    let part = UnsafeBufferPointer(rebasing: bytes)
    guard let start = part.baseAddress else { return }
    reserve(part.count)
    (memory + count).update(from: start, count: part.count)
    count += part.count
  }

  /// A number in decimal.
  func append(magnitude: UInt64) {
    reserve(20)
    var length = 1
    var limit: UInt64 = 10
    while length < 20, magnitude >= limit {
      length += 1
      if length < 20 { limit *= 10 }
    }
    var rest = magnitude
    for position in stride(from: count + length - 1, through: count, by: -1) {
      memory[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// A string in quotes. RFC 8259 §7: quotes, backslashes and control characters are escaped, everything else stands as
  /// UTF-8.
  func append(quoted value: String) {
    append(UInt8(ascii: "\""))
    var copy = value
    copy.withUTF8 { text in
      var start = 0
      var position = 0
      while true {
        position = JSONBytes.firstToEscape(in: text, from: position)
        append(text[start..<position])
        guard position < text.count else { return }
        append(escaped: text[position])
        position += 1
        start = position
      }
    }
    append(UInt8(ascii: "\""))
  }

  private func append(escaped byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    default:
      append("u00")
      for nibble in [byte >> 4, byte & 15] {
        append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
      }
    }
  }
}
