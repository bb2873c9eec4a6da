import Contracts

/// Caches rights to follow topics, and the rights that have recently ended.
struct TopicAccessCache: Sendable {
  struct Reader: Hashable, Sendable {
    var user: UserID
    var roles: Set<Role>
  }

  /// The change of a right since a number of the log.
  enum Change: Sendable {
    case unchanged, ended
    /// Too long ago.
    case unknown
  }

  private struct End: Sendable {
    var number: Int64
    var topics: Set<Topic>
    var user: UserID?

    func concerns(_ topic: Topic, _ user: UserID) -> Bool {
      (self.user == nil || self.user == user) && topics.contains(topic)
    }
  }

  /// Until when it is known that a user may follow a topic.
  private var allowed: [Topic: [Reader: Timestamp]] = [:]
  private(set) var count = 0
  private var ends: [End] = []
  /// Ends up to this number are no longer in `ends`.
  private var forgotten: Int64 = 0
  private let maxAllowed: Int
  private let maxEnds: Int

  init(maxAllowed: Int = 200_000, maxEnds: Int = 4096) {
    (self.maxAllowed, self.maxEnds) = (maxAllowed, maxEnds)
  }

  /// Rights that ended before are not known.
  mutating func begin(at number: Int64) { forgotten = number }

  func isAllowed(_ topic: Topic, to reader: Reader, at now: Timestamp) -> Bool {
    allowed[topic]?[reader].map { $0 > now } ?? false
  }

  mutating func allow(_ topic: Topic, to reader: Reader, until: Timestamp, at now: Timestamp) {
    if count >= maxAllowed { clean(at: now) }
    if allowed[topic, default: [:]].updateValue(until, forKey: reader) == nil { count += 1 }
  }

  mutating func forget(_ topic: Topic, of reader: Reader) {
    guard allowed[topic]?.removeValue(forKey: reader) != nil else { return }
    count -= 1
    if allowed[topic]?.isEmpty == true { allowed[topic] = nil }
  }

  /// Notes that rights have ended, at a number of the log.
  mutating func end(_ ended: TopicAccessEnded, at number: Int64) {
    ends.append(End(number: number, topics: Set(ended.topics), user: ended.user))
    if ends.count > maxEnds {
      forgotten = ends[maxEnds / 2 - 1].number
      ends.removeFirst(maxEnds / 2)
    }
    for topic in ended.topics { remove(topic, of: ended.user) }
  }

  func change(of topic: Topic, for user: UserID, since number: Int64) -> Change {
    if ends.reversed().prefix(while: { $0.number > number }).contains(where: { $0.concerns(topic, user) }) {
      return .ended
    }
    return number < forgotten ? .unknown : .unchanged
  }

  private mutating func remove(_ topic: Topic, of user: UserID?) {
    let kept = user == nil ? [:] : allowed[topic]?.filter { $0.key.user != user } ?? [:]
    count -= (allowed[topic]?.count ?? 0) - kept.count
    allowed[topic] = kept.isEmpty ? nil : kept
  }

  /// Deletes what has expired, or everything when that is not enough.
  mutating func clean(at now: Timestamp) {
    allowed = allowed.compactMapValues { readers in
      let valid = readers.filter { $0.value > now }
      return valid.isEmpty ? nil : valid
    }
    count = allowed.values.reduce(0) { $0 + $1.count }
    if count >= maxAllowed { (allowed, count) = ([:], 0) }
  }
}
