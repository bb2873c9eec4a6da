import Contracts
import Persistence
import ServiceKit

/// Messages that anyone can send to the owner, who reads and answers them. The content is encrypted at rest.
struct ContactMessages: Feature {
  /// Messages from one network.
  private static let limit = RateLimit(5, per: 3600, pause: .untilAllAreForgotten)

  private let core: CatalogCore
  private let store: ContactMessageStore

  init(_ core: CatalogCore) { (self.core, store) = (core, ContactMessageStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.SendContactMessage.self) { request, call in
      try await receive(request, from: call.network, call.idempotencyKey)
    }
    routes.on(CatalogAPI.ListContactMessages.self) { request, call in try await list(request, by: call.auditActor) }
    routes.on(CatalogAPI.GetContactMessage.self) { request, call in try await get(request.id, by: call.auditActor) }
    routes.on(CatalogAPI.UpdateContactMessage.self) { request, call in
      try await update(request.id, request.state, ifMatch: request.ifMatch, by: call.auditActor)
    }
    routes.on(CatalogAPI.AnswerContactMessage.self) { request, call in
      try await answer(request.id, request.text, by: call)
    }
    routes.on(CatalogAPI.DeleteContactMessage.self) { request, call in
      try await delete(request.id, by: call.auditActor)
    }
  }

  // MARK: sending

  func receive(_ form: CatalogAPI.SendContactMessage, from network: String, _ idempotencyKey: IdempotentRequest?)
    async throws
    -> Acknowledgement
  {
    let id = core.ids.make(ContactMessageID.self)
    return try await core.database.write { tx in
      try tx.idempotent(idempotencyKey) {
        try StoredLimit(Self.limit, of: network, for: "contact-message", core.keys).require(in: tx)
        try store.insert(form, id: id, in: tx)
        if let owner = try SiteInformation.email(in: tx) {
          try core.mailer.send(MessagingMails.newMessage(to: owner), in: tx)
        }
        return Acknowledgement()
      }
    }
  }

  // MARK: administration

  func list(_ request: CatalogAPI.ListContactMessages, by actor: AuditActor) async throws -> Page<ContactMessage> {
    let page = try request.page(by: ContactMessageID.self)
    return try await core.database.readAudited(by: actor) { db in
      try page.fetch(
        { after, limit in
          let condition = SQL.and(request.state.map { "state = \($0)" }, after.map { "id < \($0)" })
          return try store.list(condition, limit: limit, in: db)
        }, key: \.id
      ).page
    } as: {
      AuditedRead("contact-messages.viewed", object: "contact-messages", viewed: $0.items.map { Self.object($0.id) })
    }
  }

  func get(_ id: ContactMessageID, by actor: AuditActor) async throws -> ContactMessage {
    try await core.database.readAudited(by: actor) { db in
      try store.get(id, in: db)
    } as: { _ in
      AuditedRead("contact-message.viewed", object: Self.object(id))
    }
  }

  func update(
    _ id: ContactMessageID,
    _ state: ContactMessage.State,
    ifMatch: EntityTag?,
    by actor: AuditActor
  ) async throws -> ContactMessage {
    try await core.database.write { tx in
      var message = try store.get(id, in: tx)
      try ifMatch?.require(message.version)
      let before = message.state
      guard state != before else { return message }
      message.state = state
      message.version += 1
      try store.update(message, in: tx)
      try tx.audit(
        "contact-message.changed",
        object: Self.object(id),
        by: actor,
        changes: [AuditChange("state", from: before.rawValue, to: state.rawValue)]
      )
      return message
    }
  }

  func answer(_ id: ContactMessageID, _ text: LongText, by call: Call) async throws -> ContactMessage {
    let user = try call.user.id
    return try await core.database.write { tx in
      // The stored idempotent response holds only the id; the content is stored once, encrypted.
      let answered = try tx.idempotent(call.idempotencyKey) {
        var message = try store.get(id, in: tx)
        guard message.answer == nil else { throw Problem(.contactMessageAnswered) }
        message.answer = .init(text: text, userID: user, at: tx.now)
        message.state = .answered
        message.version += 1
        try store.update(message, in: tx)
        let owner = try SiteInformation.email(in: tx)
        try core.mailer.send(MessagingMails.answer(text, to: message, from: owner), in: tx)
        try tx.audit("contact-message.answered", object: Self.object(id), by: call.auditActor)
        return id
      }
      return try store.get(answered, in: tx)
    }
  }

  func delete(_ id: ContactMessageID, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard try store.delete(id, in: tx) else { return }
      try tx.audit("contact-message.deleted", object: Self.object(id), by: actor)
    }
  }

  private static func object(_ id: ContactMessageID) -> String { "contact-message:\(id)" }
}
