/// Small numbers for the values that are in use, counted by their uses. The number of a value that is no longer used
/// is given to another one, so that the numbers are no more than there ever were values at a time.
struct CountedNumbers<Value: Hashable & Sendable>: Sendable {
  /// The values by number; 0 stands for no value. Unused numbers keep their last one.
  private(set) var values: ContiguousArray<Value>
  private var numbers: [Value: UInt32] = [:]
  private var uses: [Int32] = [0]
  private var unused: [UInt32] = []

  init(none: Value) { values = [none] }

  /// The number of a value, with one more use.
  mutating func retain(_ value: Value) -> UInt32 {
    if let known = numbers[value] {
      uses[Int(known)] += 1
      return known
    }
    let number: UInt32
    if let free = unused.popLast() {
      number = free
      values[Int(free)] = value
      uses[Int(free)] = 1
    } else {
      number = UInt32(values.count)
      values.append(value)
      uses.append(1)
    }
    numbers[value] = number
    return number
  }

  /// Ends a use.
  mutating func release(_ number: UInt32) {
    guard number > 0 else { return }
    uses[Int(number)] -= 1
    guard uses[Int(number)] == 0 else { return }
    numbers[values[Int(number)]] = nil
    unused.append(number)
  }
}
