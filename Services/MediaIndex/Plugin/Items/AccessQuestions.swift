import Contracts
import Logging
import ServiceKit
import Synchronization

/// The decisions of other services about access to media. Rights that they grant are kept for a second, so that a page
/// with many pictures of one conversation is one question, and a right that ends has ended everywhere a second later;
/// what they refuse is asked again.
final class AccessQuestions: Sendable {
  private enum Question: Hashable {
    case connected(UserID, UserID)
    case reads(MediaReader?, MediaAudienceObject)
    case licensed(MediaID, by: UserID)
  }

  private struct Answer {
    var files: [LicensedFile]
    var until: Timestamp
  }

  private static let seconds = 1.0
  private static let maxCount = 50_000

  private let environment: ServiceEnvironment
  private let answers = Mutex<[Question: Answer]>([:])

  init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Whether two users are connected; on a platform without matching no one is.
  func areConnected(_ user: UserID, _ other: UserID) async throws -> Bool {
    let question = Question.connected(user, other)
    if known(question) != nil { return true }
    guard isPresent(MatchingAPI.name) else { return false }
    let relations = try await asking(MatchingAPI.name) { client throws(CallError) in
      try await client.send(MatchingAPI.CheckRelations(user: user, others: UserList([other])))
    }
    let areConnected = relations.items.contains { $0.userID == other && $0.isConnected == true && !$0.isBlocked }
    if areConnected { remember(question) }
    return areConnected
  }

  /// Whether the reader may see at least one of the objects.
  ///
  /// - Parameter reader: `nil` for callers who have not signed in.
  func mayRead(_ objects: [MediaAudienceObject], _ reader: MediaReader?) async throws -> Bool {
    if objects.contains(where: { known(.reads(reader, $0)) != nil }) { return true }
    let roles = (reader?.roles ?? []).sorted { $0.rawValue < $1.rawValue }
    for (service, objects) in Dictionary(grouping: objects, by: \.service) where isPresent(service) {
      for start in stride(from: 0, to: objects.count, by: Topic.maxPerStream) {
        let some = objects[start..<min(start + Topic.maxPerStream, objects.count)]
        let request = ReadersAPI.Authorize(user: reader?.id, roles: roles, objects: some.map(\.object))
        let allowed = try await asking(service) { client throws(CallError) in try await client.send(request) }
        guard let granted = some.first(where: { allowed.objects.contains($0.object) }) else { continue }
        remember(.reads(reader, granted))
        return true
      }
    }
    return false
  }

  /// The files of a recording that the owner has licensed to the user.
  func licensedFiles(_ media: MediaID, of owner: UserID, for user: UserID) async throws -> [LicensedFile] {
    let question = Question.licensed(media, by: user)
    if let files = known(question) { return files }
    guard isPresent(OrdersAPI.name) else { return [] }
    let seller = owner.rawValue.isEmpty ? nil : owner
    let licensed = try await asking(OrdersAPI.name) { client throws(CallError) in
      try await client.send(OrdersAPI.GetLicensedFiles(user: user, audio: media, seller: seller))
    }
    if !licensed.files.isEmpty { remember(question, licensed.files) }
    return licensed.files
  }

  // MARK: asking

  private func isPresent(_ service: String) -> Bool { environment.upstreams.find(service) != nil }

  private func asking<Value>(_ service: String, _ body: (APIClient) async throws(CallError) -> Value) async throws
    -> Value
  {
    do { return try await body(environment.client(of: service)) } catch {
      environment.logger.warning("cannot decide on access", metadata: ["service": "\(service)", "error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }

  private func known(_ question: Question) -> [LicensedFile]? {
    let now = environment.time.now()
    return answers.withLock { answers in answers[question].flatMap { $0.until > now ? $0.files : nil } }
  }

  private func remember(_ question: Question, _ files: [LicensedFile] = []) {
    let now = environment.time.now()
    answers.withLock { answers in
      if answers.count >= Self.maxCount { answers = answers.filter { $0.value.until > now } }
      if answers.count >= Self.maxCount { answers = [:] }
      answers[question] = Answer(files: files, until: now.advanced(bySeconds: Self.seconds))
    }
  }
}
