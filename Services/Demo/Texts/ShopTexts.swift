/// A product of the shop.
struct DemoProduct: Sendable {
  enum Kind: String, Sendable { case bow, earrings, keychain, garland, tool }

  let kind: Kind
  let title: String
  let description: String
  /// In cents.
  let price: Int64
  let stock: Int
  let color: Int
  let accent: Int
  var variants: [String] = []

  var sku: String { "DEMO-\(title.uppercased().split(separator: " ").joined(separator: "-"))" }
}

/// The products and texts of the shop of Yesenia Designs.
enum ShopTexts {
  static let types = [
    ("bows", "Bows"), ("earrings", "Earrings"), ("keychains", "Key chains"), ("garlands", "Garlands"),
  ]

  static func type(of kind: DemoProduct.Kind) -> String { kind == .earrings ? "earrings" : "\(kind.rawValue)s" }

  static let products = [
    DemoProduct(
      kind: .bow, title: "Velvet bow", description: "A soft velvet bow with a clip that holds in fine hair.",
      price: 1450, stock: 24, color: 0xA3253C, accent: 0xF3C969, variants: ["Small", "Large"]),
    DemoProduct(
      kind: .bow, title: "Gingham bow", description: "Cotton gingham, sewn twice, machine washable.", price: 1250,
      stock: 18, color: 0x3D7EA6, accent: 0xFFFFFF),
    DemoProduct(
      kind: .bow, title: "Lavender bow", description: "Satin in lavender with pearls along the edge.", price: 1600,
      stock: 4, color: 0x9B7EBD, accent: 0xF6F0FF),
    DemoProduct(
      kind: .bow, title: "Forest bow", description: "Deep green corduroy for winter days.", price: 1500, stock: 0,
      color: 0x2F5D50, accent: 0xE0B354),
    DemoProduct(
      kind: .earrings, title: "Terracotta drops", description: "Light polymer clay, steel hooks, 4 cm long.",
      price: 2200, stock: 12, color: 0xC8693C, accent: 0xF2D0A9),
    DemoProduct(
      kind: .earrings, title: "Ocean drops", description: "Blue resin that catches the light.", price: 2400, stock: 9,
      color: 0x1F6F8B, accent: 0x99DDE0),
    DemoProduct(
      kind: .earrings, title: "Meadow drops", description: "Pressed flowers in clear resin; every pair is different.",
      price: 2600, stock: 3, color: 0x6A9C59, accent: 0xFBE7A1, variants: ["Hooks", "Clips"]),
    DemoProduct(
      kind: .keychain, title: "Heart key chain", description: "Leather with a painted heart and a sturdy ring.",
      price: 950, stock: 40, color: 0xD1495B, accent: 0xFFF1E6),
    DemoProduct(
      kind: .keychain, title: "Name key chain", description: "Hand stamped with up to eight letters.", price: 1350,
      stock: 25, color: 0x4F6D7A, accent: 0xEAF4F4),
    DemoProduct(
      kind: .garland, title: "Birthday garland", description: "Six pennants on two meters of jute.", price: 1900,
      stock: 15, color: 0xF28482, accent: 0x84A59D),
    DemoProduct(
      kind: .garland, title: "Harvest garland", description: "Warm colors for the dinner table and the door.",
      price: 2100, stock: 11, color: 0xBC6C25, accent: 0xDDA15E),
  ]

  static let tools = [
    DemoProduct(
      kind: .tool, title: "Fabric scissors", description: "Sharp to the tip. Never cut paper with them.", price: 0,
      stock: 0, color: 0xD1495B, accent: 0xF3C969),
    DemoProduct(
      kind: .tool, title: "Pinking shears", description: "Their zigzag keeps ribbons from fraying.", price: 0, stock: 0,
      color: 0x3D7EA6, accent: 0xFFFFFF),
  ]

  /// Title, text, days ago, and the product whose picture is shown.
  static let posts: [(title: String, text: String, daysAgo: Int, picture: Int)] = [
    (
      "How a bow keeps its shape",
      """
      The secret is a second, stiffer ribbon inside. Cut it a finger shorter than the outer one, fold both together, and \
      fasten the knot with two hidden stitches instead of glue. It will look the same after a whole summer.
      """, 2, 0
    ),
    (
      "New this month: drops in the colors of the sea",
      """
      Three evenings of mixing resin until the blue was right. Each pair is poured by hand, so no two are quite alike. \
      They weigh less than a coin, and you will forget that you wear them until someone asks.
      """, 9, 5
    ),
    (
      "A garland in one evening",
      """
      You need a remnant of cotton, two meters of jute and pinking shears. Cut triangles as high as your hand, fold the \
      upper edge over the cord, and sew once along it. Children are excellent at choosing the order of colors.
      """, 16, 9
    ),
    (
      "Behind the table: my first craft market",
      """
      I brought forty bows and sold thirty-one, ran out of change twice, and learned to say the price without \
      apologizing. Thank you to everyone who stopped by. The velvet ones will be back on Friday.
      """, 24, 3
    ),
    (
      "Caring for velvet",
      """
      Steam it from the wrong side, never iron it. Brush it with the pile, and store it flat. A bow that was crushed in \
      a bag recovers overnight in a humid bathroom.
      """, 33, 2
    ),
  ]

  static let comments = [
    "I tried it yesterday and it works!", "My daughter loves hers.", "Could you show this in a video?",
    "Such beautiful colors.", "Ordered two, thank you.", "The tip with the second ribbon is gold.",
    "Will you be at the spring market, too?",
  ]

  /// Subject and text of letters to the shop.
  static let letters = [
    ("A bow in another color", "Do you also make the velvet bow in emerald? It would be for a wedding in May."),
    ("Sizes of the garland", "How wide is one of the pennants? Our window is a little over two meters."),
    ("Thank you!", "The earrings arrived today and are even lighter than I had hoped."),
  ]

  static let streets = ["Oak Street", "Cedar Lane", "Congress Avenue", "Juniper Road", "Pecan Drive"]
}
