/// Carts, orders, payments, auctions, offers, licences and plans. Each file beside this one holds the calls of one of
/// them.
public enum OrdersAPI: ServiceAPI {
  public static let name = "orders"
  public static let summary = "Carts, orders, payments, auctions, offers, licences and plans"
  public static let endpoints: [any Endpoint.Type] = []
}
