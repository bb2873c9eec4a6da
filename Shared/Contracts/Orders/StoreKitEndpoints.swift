extension OrdersAPI {
  /// Newest first.
  public struct ListUnmatchedPurchases: PagedEndpoint {
    public typealias Response = Page<UnmatchedPurchase>
    public static let operation = Operation.get(
      "/v1/payments/storekit/unmatched", "List StoreKit purchases that could not be booked",
      access: .roles([.owner, .administrator, .support])
    )
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }
}
