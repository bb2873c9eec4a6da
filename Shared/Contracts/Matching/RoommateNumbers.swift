/// From 1, the least clean or quietest, to 5.
public struct LivingLevel: BoundedInteger {
  public static let range = 1...5
  public let value: Int
  public init(checked: Int) { value = checked }
}

public struct StayMonths: BoundedInteger {
  public static let range = 1...60
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Whole years.
public struct RoommateAge: BoundedInteger {
  public static let range = 18...120
  public let value: Int
  public init(checked: Int) { value = checked }
}

public struct Kilometers: BoundedInteger {
  public static let range = 1...100
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// The number of cards of a deck.
public struct DeckSize: BoundedInteger {
  public static let range = 1...50
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 20) }
}
