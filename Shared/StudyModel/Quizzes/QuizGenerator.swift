/// Makes the questions of a quiz from cards.
///
/// The same cards, settings and seed give the same questions, whatever the order of the cards. Random numbers are those
/// of SplitMix64; kinds alternate, so that a quiz of mixed kinds has as many of each as possible.
public struct QuizGenerator: Sendable {
  /// The side of a card that is the prompt.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    case frontToBack
    case backToFront
  }

  /// In a fixed order, each once; ``QuestionKind/written`` if none is given.
  public let kinds: [QuestionKind]
  public let direction: Direction
  public let seed: UInt64

  /// Options of a choice, the right one included.
  public static let maximumOptions = 4
  /// With fewer the question is asked in another way.
  public static let minimumOptions = 3
  /// Wrong answers are taken from a sample of so many cards.
  private static let maximumPool = 2000

  public init(kinds: Set<QuestionKind>, direction: Direction = .frontToBack, seed: UInt64) {
    let ordered = QuestionKind.allCases.filter(kinds.contains)
    self.kinds = ordered.isEmpty ? [.written] : ordered
    self.direction = direction
    self.seed = seed
  }

  private struct Entry {
    let id: String
    let prompt: String
    let answer: String
    let promptKey: String
    /// The keys that count as the answer.
    let answerKeys: Set<String>
  }

  /// At most `count` questions, each on another card; fewer if fewer cards have text on both sides.
  public func questions(_ count: Int, from cards: some Sequence<QuizCard>) -> [QuizQuestion] {
    var random = SeededRandom(seed: seed)
    let usable = cards.filter { !AnswerGrading.trimmed($0.front).isEmpty && !AnswerGrading.trimmed($0.back).isEmpty }
    var seen: Set<String> = []
    let unique = usable.sorted { ($0.id, $0.front, $0.back) < ($1.id, $1.front, $1.back) }
      .filter { seen.insert($0.id).inserted }
    let shuffled = random.shuffled(unique)
    let asked = max(0, min(count, shuffled.count))
    let pool = shuffled.prefix(max(asked, Self.maximumPool)).map(entry)
    return (0..<asked).map { index in
      question(pool[index], kinds[index % kinds.count], pool, &random)
    }
  }

  private func entry(_ card: QuizCard) -> Entry {
    let isForward = direction == .frontToBack
    let answer = AnswerGrading.trimmed(isForward ? card.back : card.front)
    let prompt = AnswerGrading.trimmed(isForward ? card.front : card.back)
    return Entry(
      id: card.id, prompt: prompt, answer: answer, promptKey: AnswerGrading.key(prompt),
      answerKeys: AnswerGrading.keys(answer))
  }

  private func question(_ entry: Entry, _ kind: QuestionKind, _ pool: [Entry], _ random: inout SeededRandom)
    -> QuizQuestion
  {
    let content: QuizQuestion.Content
    switch kind {
    case .written: content = .written
    case .choice: content = choice(entry, pool, &random)
    case .trueFalse: content = trueFalse(entry, pool, &random)
    }
    return QuizQuestion(cardID: entry.id, prompt: entry.prompt, answer: entry.answer, content: content)
  }

  private func choice(_ entry: Entry, _ pool: [Entry], _ random: inout SeededRandom) -> QuizQuestion.Content {
    let wrong = wrongAnswers(entry, pool, Self.maximumOptions - 1, &random)
    guard wrong.count >= Self.minimumOptions - 1 else {
      return kinds.contains(.trueFalse) && !kinds.contains(.written) ? trueFalse(entry, pool, &random) : .written
    }
    let right = random.below(wrong.count + 1)
    var options = wrong
    options.insert(entry.answer, at: right)
    return .choice(options: options, right: right)
  }

  private func trueFalse(_ entry: Entry, _ pool: [Entry], _ random: inout SeededRandom) -> QuizQuestion.Content {
    // Without a wrong answer to show, the statement would always be true.
    guard let wrong = wrongAnswers(entry, pool, 1, &random).first else { return .written }
    let isTrue = random.below(2) == 0
    return .trueFalse(shown: isTrue ? entry.answer : wrong, isTrue: isTrue)
  }

  /// Answers of other cards that differ from the right one and from each other, and are not right for the same prompt.
  private func wrongAnswers(_ entry: Entry, _ pool: [Entry], _ count: Int, _ random: inout SeededRandom) -> [String] {
    var taken = entry.answerKeys
    // Another card with the same prompt has another right answer.
    for other in pool where other.promptKey == entry.promptKey { taken.formUnion(other.answerKeys) }
    var answers: [String] = []
    let start = random.below(pool.count)
    // A stride without common divisors visits every card once, in an order that differs between questions.
    let step = Self.stride(pool.count, &random)
    var index = start
    for _ in pool.indices where answers.count < count {
      let other = pool[index]
      if taken.isDisjoint(with: other.answerKeys) {
        answers.append(other.answer)
        taken.formUnion(other.answerKeys)
      }
      index = (index + step) % pool.count
    }
    return answers
  }

  private static func stride(_ count: Int, _ random: inout SeededRandom) -> Int {
    func commonDivisor(_ one: Int, _ other: Int) -> Int { other == 0 ? one : commonDivisor(other, one % other) }
    var step = 1 + random.below(max(count - 1, 1))
    while commonDivisor(step, count) != 1 { step += 1 }
    return step
  }
}
