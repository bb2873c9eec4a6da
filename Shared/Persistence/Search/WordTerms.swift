/// The sets of documents in which a word of a query is found.
struct WordTerms {
  /// The terms by typing errors: none, one, two.
  var levels: [[Term]]
  /// The same in the first field.
  var first: [Term]
  var whole: Term

  var all: [Term] { levels.flatMap { $0 } + first }

  /// Words of an index with a given beginning, and words that are similar, which are searched for.
  private static let (maxBeginnings, maxSimilar) = (1024, 128)

  /// The word, and if it is the last one those that begin with it.
  init(_ word: TypoMatcher, _ words: WordStore, in db: any Connection, _ budget: inout RowBudget) throws {
    whole = .word(word.bytes)
    levels = [[whole], [], []]
    first = [.firstWord(word.bytes)]
    if word.isLast { try addBeginnings(of: word, typos: 0, words, in: db, &budget) }
  }

  /// Adds what is similar.
  mutating func addTolerance(
    for word: TypoMatcher, _ words: WordStore, in db: any Connection, _ budget: inout RowBudget
  ) throws {
    if !word.isLast { try addBeginnings(of: word, typos: 1, words, in: db, &budget) }
    for similar in try Self.similar(to: word, words, in: db, &budget) {
      levels[similar.typos].append(.word(similar.word))
      first.append(.firstWord(similar.word))
    }
  }

  private mutating func addBeginnings(
    of word: TypoMatcher, typos: Int, _ words: WordStore, in db: any Connection, _ budget: inout RowBudget
  ) throws {
    if word.letters.count <= DocumentContent.indexedBeginning {
      levels[typos].append(.beginning(word.bytes))
      first.append(.firstBeginning(word.bytes))
      return
    }
    var found: [[UInt8]] = []
    try words.each(beginningWith: word.bytes, in: db, &budget) { found.append(Array($0)) }
    for longer in found.sorted(by: { $0.count < $1.count }).prefix(Self.maxBeginnings) where longer != word.bytes {
      levels[typos].append(.word(longer))
      first.append(.firstWord(longer))
    }
  }

  private typealias Similar = (word: [UInt8], typos: Int)

  private static func similar(
    to word: TypoMatcher, _ words: WordStore, in db: any Connection, _ budget: inout RowBudget
  ) throws -> ArraySlice<Similar> {
    guard word.tolerance > 0, let lead = WordStore.lead(of: word.bytes) else { return [] }
    var found: [Similar] = []
    func add(_ other: UnsafeRawBufferPointer) {
      if let typos = word.typos(in: other) { found.append((Array(other), typos)) }
    }
    try words.each(lead, in: db, &budget, add)
    // An error in the first letter counts as two, so nothing else differs.
    for form in word.tolerance > 1 ? try firstLetterErrors(in: word.bytes, lead, words, in: db, &budget) : [] {
      if word.isLast {
        try words.each(beginningWith: form, in: db, &budget, add)
      } else {
        form.withUnsafeBytes(add)
      }
    }
    let length = word.bytes.count
    return found.sorted { a, b in
      (a.typos, abs(a.word.count - length)) < (b.typos, abs(b.word.count - length))
    }
    .prefix(maxSimilar)
  }

  /// The word with another first letter, with one letter more in front, without the first one, and with the first two
  /// exchanged, as far as there are words with that first letter.
  private static func firstLetterErrors(
    in word: [UInt8], _ lead: [UInt8], _ words: WordStore, in db: any Connection, _ budget: inout RowBudget
  ) throws -> [[UInt8]] {
    let tail = Array(word.dropFirst(lead.count))
    guard let second = WordStore.lead(of: tail) else { return [] }
    var forms: [[UInt8]] = []
    if second != lead { forms += [tail, second + lead + tail.dropFirst(second.count)] }
    for other in try words.leads(in: db, &budget) where other != lead { forms += [other + tail, other + word] }
    return Array(Set(forms))
  }
}
