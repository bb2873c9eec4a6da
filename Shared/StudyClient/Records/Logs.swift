public import Contracts

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StudyClient {
  /// Records an answer to a card.
  ///
  /// - Parameters:
  ///   - rating: 1 again, 2 hard, 3 good, 4 easy.
  ///   - milliseconds: How long the answer took.
  ///   - at: When it was given; now by default.
  ///   - utcOffsetMinutes: Of the local time then, which decides the day on which it counts.
  @discardableResult
  public func recordReview(
    of card: CardID, in set: StudySetID, rating: Int, milliseconds: Int64, at: Timestamp? = nil,
    utcOffsetMinutes: Int? = nil
  ) async throws -> String {
    let own: [(String, JSONValue?)] = [
      ("card", .string(card.rawValue)), ("set", .string(set.rawValue)), ("rating", .integer(Int64(rating))),
    ]
    return try await append(.reviews, await entry(own, milliseconds, at, utcOffsetMinutes))
  }

  /// Records time spent studying.
  @discardableResult
  public func recordSession(
    _ function: StudyFunction, in set: StudySetID? = nil, milliseconds: Int64, at: Timestamp? = nil,
    utcOffsetMinutes: Int? = nil
  ) async throws -> String {
    let own: [(String, JSONValue?)] = [
      ("function", .string(function.rawValue)), ("set", set.map { .string($0.rawValue) }),
    ]
    return try await append(.studySessions, await entry(own, milliseconds, at, utcOffsetMinutes))
  }

  /// Records a quiz that was taken on the device.
  ///
  /// - Parameter result: What belongs to it, such as the number of correct answers and the answers themselves.
  @discardableResult
  public func recordQuiz(
    in set: StudySetID?, milliseconds: Int64, result: SyncFields, at: Timestamp? = nil, utcOffsetMinutes: Int? = nil
  ) async throws -> String {
    let own = result.members.map { ($0.name, JSONValue?.some($0.value)) } + [("set", set.map { .string($0.rawValue) })]
    return try await append(.quizResults, await entry(own, milliseconds, at, utcOffsetMinutes))
  }

  private func entry(
    _ own: [(String, JSONValue?)], _ milliseconds: Int64, _ at: Timestamp?, _ utcOffsetMinutes: Int?
  ) async throws -> SyncFields {
    let now = try await currentTime()
    let at = at ?? now
    let date = Date(timeIntervalSince1970: Double(at.microseconds) / 1_000_000)
    let offset = utcOffsetMinutes ?? TimeZone.current.secondsFromGMT(for: date) / 60
    let rollover = try await settings()?.fields["rolloverHour"]
    let common: [(String, JSONValue?)] = [
      ("at", .string(at.description)), ("milliseconds", .integer(milliseconds)),
      ("utcOffsetMinutes", .integer(Int64(offset))), ("rolloverHour", rollover),
    ]
    return SyncFields(JSONValue.object(common + own).members)
  }

  /// The time by the server's clock, as far as the device knows it.
  public func currentTime() async throws -> Timestamp { try await read { tx in tx.state.corrected(tx.now) } }
}
