import Contracts

/// Yesenia Designs: products with pictures, the blog, tools and the site, by the shop's owner; likes, comments and orders
/// by customers.
struct DemoShop: DemoPart {
  let world: DemoWorld
  private let customers: [DemoPerson]

  init(_ world: DemoWorld) {
    self.world = world
    customers = world.people(of: .yesenia)
  }

  func fill() async throws {
    guard let owner = world.owner else {
      return world.progress.say("Without --owner, the shop stays empty.")
    }
    try await prepare(owner)
    try await world.each("product pictures", ShopTexts.products + ShopTexts.tools) { product in
      guard world.journal[step(of: product)] == nil else { return }
      _ = try await picture(of: product, by: owner)
    }
    // One after the other, so that their order is the same in every world of a seed; that of the orders, too.
    try await world.each("products", ShopTexts.products, atOnce: 1) { product in
      try await world.journal.once(step(of: product)) { key in
        try await create(product, by: owner, key)
      }
    }
    for tool in ShopTexts.tools {
      try await world.journal.once(step(of: tool)) { key in
        let image = try await picture(of: tool, by: owner)
        let body = CatalogAPI.CreateTool(
          name: try ShortText(validating: tool.title), description: try LongText(validating: tool.description),
          image: image, productType: Slug(checked: "bows"))
        return try await owner.account.send(body, key: key).id.rawValue
      }
    }
    try await world.each("posts", Array(ShopTexts.posts.indices)) { number in try await publish(number, by: owner) }
    try await world.each("orders", Array(customers.prefix(12)), atOnce: 1) { customer in try await order(customer) }
    try await ship(by: owner)
    do {
      for (customer, letter) in zip(customers, ShopTexts.letters) { try await write(letter, as: customer) }
    } catch let problem as Problem where problem.status == 429 {
      world.progress.say("The shop takes no more letters from this network for now; the next run writes the others.")
    }
  }

  private func write(_ letter: (subject: String, text: String), as customer: DemoPerson) async throws {
    try await world.once("letter.\(customer.index)") { key in
      let message = CatalogAPI.SendContactMessage(
        firstName: try PersonName(validating: customer.firstName),
        lastName: try PersonName(validating: customer.lastName), email: Self.sender,
        subject: try ShortText(validating: letter.subject), message: try LongText(validating: letter.text))
      // A network may send five an hour, and without one the world is complete enough.
      _ = try await world.platform.send(message, key: key, maxWait: 5)
    }
  }

  /// The sender of every letter, by which they are found when they are removed.
  static let sender = EmailAddress(checked: "customer@demo.invalid")

  /// Sets up the shop before it sells. Settings by others are left as they are.
  private func prepare(_ owner: DemoOwner) async throws {
    for (slug, name) in ShopTexts.types {
      try await world.once("type.\(slug)") { key in
        let type = ProductType(slug: Slug(checked: slug), name: ShortText(checked: name))
        try await owner.account.attempt(CatalogAPI.CreateProductType(body: type), key: key)
      }
    }
    // Noted before it is done, so that a removal also empties what a killed run has set.
    if world.journal["site"] == nil, try await isSiteEmpty(owner) { try world.journal.record("site", "ours") }
    if world.journal["site"] != nil { try await world.once("site.set") { _ in try await setSite(owner) } }
    if world.journal["pricing"] == nil, try await hasNoPricing(owner) { try world.journal.record("pricing", "ours") }
    if world.journal["pricing"] != nil { try await world.once("pricing.set") { _ in try await setPricing(owner) } }
  }

  private func setSite(_ owner: DemoOwner) async throws {
    let site = Site(
      title: ShortText(checked: "Yesenia Designs"),
      home: LongText(checked: "Bows, earrings and garlands, made by hand one at a time."),
      socialLinks: [.init(name: ShortText(checked: "Pictures"), link: WebLink(checked: "https://example.com/yesenia"))])
    try await owner.account.send(CatalogAPI.PutSite(body: site))
  }

  private func setPricing(_ owner: DemoOwner) async throws {
    let shipping = ShippingRule(base: Price(checked: Money(4_95, .usd)), freeFrom: Price(checked: Money(50_00, .usd)))
    let tax = TaxRule(region: Region(checked: "US-TX"), rate: TaxRate(checked: 82_500))
    try await owner.account.send(OrdersAPI.PutPricingRules(tax: [tax], shipping: [shipping]))
  }

  /// Whether the site is empty, as it is at first, and again after a removal.
  private func isSiteEmpty(_ owner: DemoOwner) async throws -> Bool {
    var site = try await owner.account.send(CatalogAPI.GetSite())
    site.version = 0
    return site == Site()
  }

  private func hasNoPricing(_ owner: DemoOwner) async throws -> Bool {
    let rules = try await owner.account.send(OrdersAPI.GetPricingRules())
    return rules.tax.isEmpty && rules.shipping.isEmpty
  }

  private func step(of product: DemoProduct) -> String {
    "\(product.kind == .tool ? "tool" : "product").\(product.sku)"
  }

  private func picture(of product: DemoProduct, by owner: DemoOwner) async throws -> MediaID {
    try await world.uploads.ready("picture.\(product.sku)", as: owner.account, title: product.title) {
      try ProductArt.draw(product, seed: world.seed)
    }
  }

  private func create(_ product: DemoProduct, by owner: DemoOwner, _ key: String) async throws -> String {
    let image = try await picture(of: product, by: owner)
    let hasVariants = !product.variants.isEmpty
    let variants = try product.variants.enumerated().map { number, name in
      VariantForm(
        name: try ShortText(validating: name), sku: try SKU(validating: "\(product.sku)-\(number)"),
        price: Price(checked: Money(product.price + Int64(number) * 300, .usd)),
        onHand: StockCount(checked: product.stock / product.variants.count))
    }
    let body = CatalogAPI.CreateProduct(
      type: Slug(checked: ShopTexts.type(of: product.kind)), title: try ShortText(validating: product.title),
      description: try LongText(validating: product.description), price: Price(checked: Money(product.price, .usd)),
      sku: hasVariants ? nil : try SKU(validating: product.sku), weightGrams: Grams(checked: 60), images: [image],
      onHand: hasVariants ? nil : StockCount(checked: product.stock), variants: hasVariants ? variants : nil)
    return try await owner.account.send(body, key: key).id.rawValue
  }

  private func publish(_ number: Int, by owner: DemoOwner) async throws {
    let post = ShopTexts.posts[number]
    let id = try await world.journal.once("post.\(number)") { key in
      let day = world.begun.advanced(bySeconds: -86_400 * Double(post.daysAgo))
      let body = CatalogAPI.CreatePost(
        title: try ShortText(validating: post.title), date: CalendarDate(day),
        media: try await picture(of: ShopTexts.products[post.picture], by: owner),
        description: try LongText(validating: post.text))
      return try await owner.account.send(body, key: key).id.rawValue
    }
    var random = world.random("post.\(number)")
    for fan in random.pick(random.number(in: 4...25), of: customers) {
      try await world.once("post.\(number).like.\(fan.index)") { _ in
        try await fan.account.attempt(CatalogAPI.LikePost(id: PostID(trusted: id)))
      }
    }
    for author in random.pick(random.number(in: 1...3), of: customers) {
      let text = random.pick(ShopTexts.comments)
      try await world.once("post.\(number).comment.\(author.index)") { key in
        try await author.account.attempt(
          CatalogAPI.CommentOnPost(id: PostID(trusted: id), text: CommentText(validating: text)), key: key)
      }
    }
  }

  /// The first customer orders three times.
  private func order(_ customer: DemoPerson) async throws {
    let sold = ShopTexts.products.filter { $0.variants.isEmpty && $0.stock > 5 }
    for number in 0..<(customer.isMainCharacter ? 3 : 1) {
      var random = world.random("order.\(customer.index).\(number)")
      let product = random.pick(sold)
      guard let id = world.journal[step(of: product)] else { continue }
      try await world.once("order.\(customer.index).\(number)") { key in
        let purchases = DemoPurchases(world)
        try await purchases.buy(
          .init(productID: ProductID(trusted: id), quantity: Quantity(checked: random.number(in: 1...2))),
          as: customer, to: purchases.address(of: customer), key)
      }
    }
  }

  /// Some orders are on their way.
  private func ship(by owner: DemoOwner) async throws {
    try await world.once("shipping") { _ in
      let buyers = Set(customers.map { world.id(of: $0) })
      let orders = try await owner.account.send(
        OrdersAPI.ListAllOrders(fulfillment: .processing, limit: PageSize(checked: 50))
      )
      .items.filter { order in order.ownerID.map { buyers.contains($0) } ?? false }
      for (number, order) in orders.enumerated() where number % 3 != 0 {
        for status in number % 3 == 1 ? [FulfillmentStatus.processed] : [.processed, .shipped] {
          let carrier = status == .shipped ? ShortText(checked: "Demo Post") : nil
          let tracking = status == .shipped ? ShortText(checked: "DEMO\(10_000 + number)") : nil
          try await owner.account.attempt(
            OrdersAPI.UpdateOrder(id: order.id, status: status, carrier: carrier, tracking: tracking))
        }
      }
    }
  }
}
