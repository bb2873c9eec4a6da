import Contracts

/// Deletes everything that the demo has made, as its people and the owner could. What the platform keeps of anyone's
/// purchases, orders and entries of the ledger without a name, stays.
struct DemoRemoval: Sendable {
  let world: DemoWorld
  let password: String

  func run() async throws {
    // From now on, the world cannot be continued.
    try world.journal.record("removal", "begun")
    if let owner = world.owner { try await empty(owner) }
    let known = world.people.filter {
      world.journal["person.\($0.index)"] != nil || world.journal["signup.\($0.index)"] != nil
    }
    try await world.each("removed people", known) { person in
      try await world.once("removed.\(person.index)") { _ in try await delete(person) }
    }
    try world.journal.delete()
  }

  /// Everything else of a person goes with the account.
  private func delete(_ person: DemoPerson) async throws {
    let logIn = AuthAPI.LogIn(login: person.username, password: password, app: .web)
    do {
      let session = try await world.platform.send(logIn)
      // The username could be someone else's by now.
      if let id = world.journal["person.\(person.index)"], id != session.user.id.rawValue { return }
      _ = try await world.platform.send(AuthAPI.DeleteMe(), token: session.accessToken)
    } catch let problem as Problem where problem.status == 401 || problem.is(.accountDisabled) {
      // Such as by a removal that was killed before it noted this one.
      world.progress.say("\(person.username) is gone already, or has been changed by someone: \(problem.title).")
    }
  }

  private func empty(_ owner: DemoOwner) async throws {
    let (account, journal) = (owner.account, world.journal)
    for id in journal.results(of: "product.") {
      try await account.attempt(CatalogAPI.DeleteProduct(id: ProductID(trusted: id)))
    }
    for step in ShopTexts.posts.indices {
      if let id = journal["post.\(step)"] { try await account.attempt(CatalogAPI.DeletePost(id: PostID(trusted: id))) }
    }
    for id in journal.results(of: "tool.") {
      try await account.attempt(CatalogAPI.DeleteTool(id: ToolID(trusted: id)))
    }
    let letters = try await account.send(CatalogAPI.ListContactMessages(limit: PageSize(checked: 100))).items
    for letter in letters where letter.email == DemoShop.sender {
      try await account.attempt(CatalogAPI.DeleteContactMessage(id: letter.id))
    }
    if journal["site"] != nil { try await account.send(CatalogAPI.PutSite(body: Site())) }
    if journal["pricing"] != nil { try await account.send(OrdersAPI.PutPricingRules(tax: [], shipping: [])) }
    // Beside the media, the journal has the paths of their uploads.
    let pictures = journal.results(of: "picture.").filter { !$0.hasPrefix("/") }
    try await world.each("removed pictures", pictures) { id in try await delete(MediaID(trusted: id), as: account) }
    try await removeAuthenticator(of: account)
  }

  private func removeAuthenticator(of account: DemoAccount) async throws {
    do {
      try await account.attempt(AuthAPI.DeleteTOTP())
    } catch let problem as Problem where problem.is(.recentSignInRequired) {
      // The pictures took longer than a proof counts.
      guard let code = try DemoOwner.currentCode(world.journal) else { throw problem }
      try await account.send(AuthAPI.Prove(totp: OneTimeCode(checked: code)))
      try await account.attempt(AuthAPI.DeleteTOTP())
    }
  }

  /// It is in use until media-index has learned that what showed it is gone.
  private func delete(_ media: MediaID, as account: DemoAccount) async throws {
    for _ in 0..<120 {
      do {
        _ = try await account.send(MediaAPI.DeleteMedia(id: media))
        return
      } catch let problem as Problem where problem.is(.mediaInUse) {
        try await Task.sleep(for: .milliseconds(500))
      } catch let problem as Problem where problem.status == 404 {
        return
      }
    }
    world.progress.say("The picture \(media) is still used, so it stays.")
  }
}
