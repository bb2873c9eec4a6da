/// The services of the platform. A new service adds its API here; the gateway routes to what is listed.
public enum PlatformAPIs {
  public static let all: [any ServiceAPI.Type] = [AuthAPI.self, CatalogAPI.self, OrdersAPI.self]
}
