/// The stock of a product or of one of its variants, in units.
public struct StockLevel: Codable, Sendable, Equatable, Versioned {
  public var productID: ProductID
  public var variantID: VariantID?
  /// The quantity in stock, including reserved units.
  public var onHand: Int
  /// The quantity reserved for buyers who are about to pay.
  public var reserved: Int
  /// Incremented on every change of `onHand`, including sales.
  public var version: Int
  public init(productID: ProductID, variantID: VariantID?, onHand: Int, reserved: Int, version: Int) {
    (self.productID, self.variantID, self.onHand, self.reserved) = (productID, variantID, onHand, reserved)
    self.version = version
  }
}
