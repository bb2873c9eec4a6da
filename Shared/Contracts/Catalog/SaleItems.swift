/// A product, or one variant of it.
public struct ProductReference: Codable, Sendable, Hashable {
  public var productID: ProductID
  public var variantID: VariantID?
  public init(productID: ProductID, variantID: VariantID? = nil) {
    (self.productID, self.variantID) = (productID, variantID)
  }
}

/// The items that are for sale now, for the orders service.
public struct SaleItems: Codable, Sendable, Equatable {
  public struct Product: Codable, Sendable, Equatable {
    public var product: ProductReference
    public var title: String
    public var sku: String?
    public var price: Price
    /// The class that selects the tax rules, such as `standard`.
    public var taxClass: String
    /// Whether it is sent to an address.
    public var isShipped: Bool
    /// The weight of one unit, for the shipping rules.
    public var weightGrams: Int
    /// The quantity that can be bought now.
    public var available: Int
    public var image: MediaID?
    public init(
      product: ProductReference, title: String, sku: String?, price: Price, taxClass: String, isShipped: Bool,
      weightGrams: Int, available: Int, image: MediaID?
    ) {
      (self.product, self.title, self.sku, self.price, self.taxClass) = (product, title, sku, price, taxClass)
      (self.isShipped, self.weightGrams) = (isShipped, weightGrams)
      (self.available, self.image) = (available, image)
    }
  }

  public struct Listing: Codable, Sendable, Equatable {
    public var id: ListingID
    public var ownerID: UserID
    public var title: String
    public var licenses: [LicenseOption]
    public var acceptsOffers: Bool
    public var audio: MediaID
    public var cover: MediaID?
    public init(
      id: ListingID, ownerID: UserID, title: String, licenses: [LicenseOption], acceptsOffers: Bool, audio: MediaID,
      cover: MediaID?
    ) {
      (self.id, self.ownerID, self.title, self.licenses) = (id, ownerID, title, licenses)
      (self.acceptsOffers, self.audio, self.cover) = (acceptsOffers, audio, cover)
    }
  }

  public var products: [Product]
  public var listings: [Listing]
  public init(products: [Product], listings: [Listing]) { (self.products, self.listings) = (products, listings) }
}
