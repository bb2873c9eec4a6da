/// The services of the platform. A new service adds its API here; the gateway routes to what is listed.
public enum Platform {
  public static let apis: [any ServiceAPI.Type] = [AuthAPI.self]
}
