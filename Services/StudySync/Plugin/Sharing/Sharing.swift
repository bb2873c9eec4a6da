import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// Sharing sets with users, who are notified, and by links; offering their ownership.
struct Sharing: Feature {
  /// New shares with users and new links of one user.
  private static let limit = RateLimit(200, per: 3600, pause: .untilOneIsForgotten)
  /// New shares with one user by users of whom that user has opened nothing.
  private static let unknownSenders = RateLimit(20, per: 86_400, pause: .untilOneIsForgotten)
  private static let maxLinks = 50
  private static let defaultDays = 30

  private let core: StudyCore
  private let links: SetLinkStore
  private let reader: SetReader

  init(_ core: StudyCore) {
    (self.core, links, reader) = (core, SetLinkStore(keys: core.keys), SetReader(core))
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListShares.self) { request, call in try await list(request.id, for: call.user.id) }
    routes.on(StudyAPI.ShareSet.self) { request, call in try await share(request, by: call.user) }
    routes.on(StudyAPI.ChangeShare.self) { request, call in try await change(request, call) }
    routes.on(StudyAPI.TakeOwnership.self) { request, call in try await takeOwnership(of: request.id, call) }
    routes.on(StudyAPI.RemoveShare.self) { request, call in try await remove(request, by: call.user.id) }
    routes.on(StudyAPI.RevokeSetLink.self) { request, call in try await revoke(request, by: call.user.id) }
    routes.on(StudyAPI.AcceptShare.self) { request, call in try await accept(request.token, by: call.user.id) }
  }

  var workers: [any Service] {
    [
      PeriodicTask("study.expired-links", per: .platform, every: .seconds(3600), logger: core.logger) { [core] in
        try await core.database.write { tx in try SetLinkStore.deleteExpired(in: tx) }
      }
    ]
  }

  private func list(_ id: StudySetID, for user: UserID) async throws -> SetShares {
    let (members, links, courses, offer) = try await core.database.read { [time = core.time] db in
      let role = try SetReader.get(id, for: user, in: db).role
      let members = try SetMembers.list(of: id, in: db)
      return (
        role == .viewer ? members.filter { $0.role == .owner || $0.user == user } : members,
        role == .owner ? try SetLinkStore.list(of: id, at: time.now(), in: db) : [],
        role == .owner ? try MaterialStore.courses(with: id, in: db) : [],
        try OwnershipOfferStore.find(id, in: db).flatMap { role == .owner || $0 == user ? $0 : nil }
      )
    }
    let names = await core.names.of(members.map(\.user))
    return SetShares(
      members: members.map { SetMember(userID: $0.user, user: names[$0.user], role: SetRole($0.role)) }, links: links,
      courses: courses,
      offeredTo: offer)
  }

  // MARK: sharing

  private func share(_ request: StudyAPI.ShareSet, by caller: UserCaller) async throws -> SetShare {
    let user = caller.id
    guard request.userID == nil || request.username == nil else {
      throw Self.invalid("body.userID", "must not be given together with body.username")
    }
    guard request.userID != nil || request.username != nil else { return try await makeLink(request, by: user) }
    guard !caller.roles.contains(.guest) else {
      throw Problem(.forbidden, detail: "Guests must sign up to share with users.")
    }
    // First, so that no one learns which users exist by sharing what they do not own, or by many attempts.
    try await core.database.write { [keys = core.keys] tx in
      try Self.requireOwner(request.id, user, in: tx)
      try StoredLimit(Self.limit, of: user.rawValue, for: "share", keys).require(in: tx)
    }
    guard let other = try await find(request) else { throw Problem(.userNotFound) }
    guard other.id != user else { throw Self.invalid("body.userID", "must be another user") }
    let role = SpaceRole(request.role)
    try await core.database.write { [keys = core.keys] tx in
      try Self.requireOwner(request.id, user, in: tx)
      guard try !ReportedBlocks.exist(between: user, and: other.id, in: tx) else { throw Problem(.userNotFound) }
      let isMember = try SetMembers.list(of: request.id, in: tx).contains { $0.user == other.id }
      if try !isMember && !SetVisitStore.hasOpened(setsOf: user, by: other.id, in: tx) {
        try StoredLimit(Self.unknownSenders, of: other.id.rawValue, for: "share-received", keys).require(in: tx)
      }
      try SetRemovalStore.delete(other.id, from: request.id, in: tx)
      try SetMembers.add(other.id, as: role, to: request.id, in: tx)
      let data: JSONValue = ["set": .string(request.id.rawValue), "role": .string(role.rawValue)]
      try tx.record(RealtimeEvent(to: other.id, "studySet.shared", data))
      guard !isMember else { return }
      try tx.record(
        PushRequested(
          to: other.id, title: "New study set", text: "Someone has shared a study set with you.",
          kind: .sharing))
    }
    return SetShare(member: SetMember(userID: other.id, user: other, role: SetRole(role)))
  }

  private func find(_ request: StudyAPI.ShareSet) async throws -> PublicName? {
    if let username = request.username { return try await core.names.find(username) }
    guard let id = request.userID else { return nil }
    let found = await core.names.of([id])
    if found[id] == nil, found.isStale { throw Problem(.unavailable, retryAfter: 2) }
    return found[id]
  }

  private func makeLink(_ request: StudyAPI.ShareSet, by user: UserID) async throws -> SetShare {
    let (id, token): (SetLinkID, String) = (core.ids.make(), Base64URL.encode(SecureBytes.random(32)))
    let seconds = Double(request.days?.value ?? Self.defaultDays) * 86_400
    let link = try await core.database.write { [links, keys = core.keys] tx in
      try Self.requireOwner(request.id, user, in: tx)
      try StoredLimit(Self.limit, of: user.rawValue, for: "share", keys).require(in: tx)
      guard try SetLinkStore.list(of: request.id, at: tx.now, in: tx).count < Self.maxLinks else {
        throw Problem(.tooManyShares, detail: "A set can have \(Self.maxLinks) links.")
      }
      let link = SetLink(
        id: id, role: request.role, createdAt: tx.now, expiresAt: tx.now.advanced(bySeconds: seconds), uses: 0)
      try links.insert(link, token: token, of: request.id, in: tx)
      return link
    }
    var shown = link
    shown.token = token
    return SetShare(link: shown)
  }

  private func revoke(_ request: StudyAPI.RevokeSetLink, by user: UserID) async throws {
    try await core.database.write { tx in
      try Self.requireOwner(request.id, user, in: tx)
      try SetLinkStore.delete(request.link, of: request.id, in: tx)
    }
  }

  private func accept(_ token: SetLinkToken, by user: UserID) async throws -> StudySet {
    let set = try await core.database.write { [links] tx in
      guard let stored = try links.find(token, at: tx.now, in: tx),
        let record = try RecordStore.find(RecordID(trusted: stored.set.rawValue), in: tx), record.deletedAt == nil,
        let owner = try SetMembers.list(of: stored.set, in: tx).first(where: { $0.role == .owner })?.user,
        try !ReportedBlocks.exist(between: owner, and: user, in: tx)
      else { throw Problem(.linkNotFound) }
      let role = SpaceRole(stored.link.role)
      let current = try SetMembers.list(of: stored.set, in: tx).first { $0.user == user }?.role
      guard current.map({ $0 < role }) ?? true else { return stored.set }
      // Access that the owner has taken away comes back by the owner only.
      guard try !SetRemovalStore.contains(user, of: stored.set, in: tx) else {
        if current == nil { throw Problem(.linkNotFound) }
        return stored.set
      }
      try SetMembers.add(user, as: role, to: stored.set, in: tx)
      if current == nil { try SetLinkStore.countUse(of: stored.link.id, in: tx) }
      return stored.set
    }
    return try await reader.current(set, for: user)
  }

  // MARK: members

  private func takeOwnership(of id: StudySetID, _ call: Call) async throws -> SetShares {
    let user = try call.user
    guard !user.roles.contains(.guest) else { throw Problem(.forbidden, detail: "Guests must sign up to own a set.") }
    try await core.database.write { tx in
      _ = try SetReader.get(id, for: user.id, in: tx)
      let members = try SetMembers.list(of: id, in: tx)
      guard try OwnershipOfferStore.find(id, in: tx) == user.id, members.contains(where: { $0.user == user.id }),
        let old = members.first(where: { $0.role == .owner })?.user
      else { throw Problem(.shareNotFound) }
      guard try SetMembers.countOwned(by: user.id, in: tx) < SyncPush.maxSpaces else {
        throw Problem(.tooManyStudySets, detail: "A user can have \(SyncPush.maxSpaces) sets.")
      }
      try SetMembers.passOn(id, from: old, to: user.id, in: tx)
      try tx.audit("study-set.owner-changed", object: "study-set:\(id)", by: call.auditActor)
      let data: JSONValue = ["set": .string(id.rawValue), "role": .string(SpaceRole.editor.rawValue)]
      try tx.record(RealtimeEvent(to: old, "studySet.shared", data))
    }
    return try await list(id, for: user.id)
  }

  private func change(_ request: StudyAPI.ChangeShare, _ call: Call) async throws -> SetShares {
    let user = try call.user.id
    try await core.database.write { tx in
      try Self.requireOwner(request.id, user, in: tx)
      guard let member = try SetMembers.list(of: request.id, in: tx).first(where: { $0.user == request.userID }) else {
        throw Problem(.shareNotFound)
      }
      switch request.role {
      case .viewer, .editor:
        guard member.role != .owner else {
          throw Self.invalid("body.role", "of the owner changes when another member becomes the owner")
        }
        try SetMembers.add(member.user, as: request.role == .editor ? .editor : .viewer, to: request.id, in: tx)
        if request.role == .editor {
          try SetRemovalStore.delete(member.user, from: request.id, in: tx)
        } else {
          try SetRemovalStore.insert(member.user, from: request.id, in: tx)
        }
        try OwnershipOfferStore.delete(to: member.user, of: request.id, in: tx)
      case .owner:
        guard member.role != .owner else { return }
        try OwnershipOfferStore.put(member.user, of: request.id, in: tx)
        let data: JSONValue = ["set": .string(request.id.rawValue)]
        return try tx.record(RealtimeEvent(to: member.user, "studySet.ownershipOffered", data))
      }
      let data: JSONValue = ["set": .string(request.id.rawValue), "role": .string(request.role.rawValue)]
      try tx.record(RealtimeEvent(to: member.user, "studySet.shared", data))
    }
    return try await list(request.id, for: user)
  }

  private func remove(_ request: StudyAPI.RemoveShare, by user: UserID) async throws {
    try await core.database.write { tx in
      let role = try SetReader.get(request.id, for: user, in: tx).role
      guard role == .owner || request.userID == user else {
        throw Problem(.forbidden, detail: "Only the owner can remove others.")
      }
      guard role != .owner || request.userID != user else {
        throw Self.invalid("path.userID", "must not be the owner, who can delete the set or pass it on")
      }
      try SetMembers.remove(request.userID, from: request.id, in: tx)
      if request.userID != user { try SetRemovalStore.insert(request.userID, from: request.id, in: tx) }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let (removals, offers) = (
      try SetRemovalStore.list(of: user, in: db), try OwnershipOfferStore.list(to: user, in: db)
    )
    return [("studySetRemovals", try JSONValue(removals)), ("studySetOffers", try JSONValue(offers))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try SetRemovalStore.delete(of: user, in: tx)
    try OwnershipOfferStore.delete(to: user, in: tx)
  }

  private static func requireOwner(_ set: StudySetID, _ user: UserID, in db: any Connection) throws {
    guard try SetReader.get(set, for: user, in: db).role == .owner else {
      throw Problem(.forbidden, detail: "Only the owner can do this.")
    }
  }

  private static func invalid(_ location: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: location, message: message)])
  }
}

extension SpaceRole {
  init(_ role: ShareRole) {
    switch role {
    case .viewer: self = .viewer
    case .editor: self = .editor
    }
  }
}
