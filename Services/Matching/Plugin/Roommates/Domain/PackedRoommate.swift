import Contracts

/// A user's id in 16 bytes.
struct PackedID: Hashable, Sendable, Comparable {
  let high: UInt64
  let low: UInt64

  init(_ id: UserID) {
    var (words, digits): ((UInt64, UInt64), Int) = ((0, 0), 0)
    for byte in id.rawValue.utf8 where byte != UInt8(ascii: "-") {
      let digit = byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : byte - UInt8(ascii: "a") + 10
      if digits < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
      digits += 1
    }
    (high, low) = words
  }

  var userID: UserID {
    var text = ""
    text.reserveCapacity(36)
    for digit in 0..<32 {
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 { text.append("-") }
      let word = digit < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (digit % 16)) & 0xF)
      text.unicodeScalars.append(
        Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10))
    }
    return UserID(trusted: text)
  }

  static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// The properties by which two people are compared, as plain numbers: a place is scanned without touching other memory.
struct PackedRoommate: Sendable {
  let id: PackedID
  /// The user's own values of the fields with closed sets, one bit each; a field without bits is not filled.
  var own: UInt64 = 0
  /// The accepted values of the same fields.
  var accepts: UInt64 = 0
  /// The bits of those fields that are required of others.
  var required: UInt64 = 0
  var budgetFrom: Int64 = 0
  /// -1 when it is not filled.
  var budgetTo: Int64 = -1
  /// `year << 9 | month << 5 | day`.
  var birthday: UInt32 = 0
  /// One bit for each ``RoommateField``.
  var musts: UInt32 = 0
  var prefers: UInt32 = 0
  /// Positions in the index's tables; 0 when they are not filled.
  var school: UInt32 = 0
  var languages: UInt32 = 0
  var point = EarthPoint.unset
  var currency: UInt16 = 0
  /// Days since 1970; `moveInTo` is 0 when they are not filled.
  var moveInFrom: UInt16 = 0
  var moveInTo: UInt16 = 0
  /// 0 when they are not filled.
  var stayFrom: UInt8 = 0
  var stayTo: UInt8 = 0
  var ageFrom: UInt8 = 0
  var ageTo: UInt8 = 0
  var kilometers = UInt8(RoommateRegion.defaultKilometers)

  init(_ id: PackedID) { self.id = id }

  /// A date whose differences, shifted by 9, are whole years.
  static func packed(_ date: CalendarDate) -> UInt32 {
    UInt32(max(0, date.year)) << 9 | UInt32(date.month) << 5 | UInt32(date.day)
  }
}

/// The fields that have a weight.
enum RoommateField: UInt32 {
  case gender, smoking, pets, cleanliness, noise, sleep, guests, cooking, workFromHome
  case budget, moveIn, stay, age, distance, languages, school

  @inline(__always) var bit: UInt32 { 1 << rawValue }

  /// The index of the field's values in ``PackedRoommate/own``; none for fields without a closed set.
  @inline(__always) var bits: (offset: UInt64, count: UInt64) {
    switch self {
    case .gender: (0, 4)
    case .smoking: (4, 3)
    case .pets: (7, 5)
    case .cleanliness: (12, 5)
    case .noise: (17, 5)
    case .sleep: (22, 3)
    case .guests: (25, 3)
    case .cooking: (28, 3)
    case .workFromHome: (31, 3)
    default: (0, 0)
    }
  }

  @inline(__always) var mask: UInt64 { ((1 << bits.count) - 1) << bits.offset }
}

/// Languages that someone speaks and accepts, as sets of positions in ``LanguageCode/all``.
struct LanguageSets: Hashable, Sendable {
  var own = SIMD4<UInt64>()
  var accepts = SIMD4<UInt64>()

  init() {}

  init(own: [LanguageCode], accepts: [LanguageCode]) {
    for code in own { self.own[code.position / 64] |= 1 << UInt64(code.position % 64) }
    for code in accepts { self.accepts[code.position / 64] |= 1 << UInt64(code.position % 64) }
  }
}
