/// The fields of a Protocol Buffers message.
struct ProtobufFields: Sequence, IteratorProtocol {
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private let message: ArraySlice<UInt8>
  private var offset: Int
  /// Whether the message ended within a field.
  private(set) var isDamaged = false

  init(_ message: ArraySlice<UInt8>) {
    self.message = message
    offset = message.startIndex
  }

  /// The next field that has a number or bytes.
  mutating func next() -> (number: UInt64, value: Value)? {
    while offset < message.endIndex, !isDamaged {
      guard let key = varint() else { return nil }
      switch key & 7 {
      case 0:
        guard let value = varint() else { return nil }
        return (key >> 3, .number(value))
      case 1: skip(8)
      case 2:
        guard let length = varint(), length <= UInt64(message.endIndex - offset) else {
          isDamaged = true
          return nil
        }
        let start = offset
        offset += Int(length)
        return (key >> 3, .bytes(message[start..<offset]))
      case 5: skip(4)
      default: isDamaged = true
      }
    }
    return nil
  }

  private mutating func skip(_ count: Int) {
    guard message.endIndex - offset >= count else {
      isDamaged = true
      return
    }
    offset += count
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard offset < message.endIndex else { break }
      let byte = message[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    isDamaged = true
    return nil
  }
}
