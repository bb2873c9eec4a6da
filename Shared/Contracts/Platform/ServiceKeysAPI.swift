/// The internal API by which a service publishes the public keys of its service tokens. The host implements it.
public enum ServiceKeysAPI {
  /// The key that signs now, the one that is about to replace it, and those whose signatures may still be on the way.
  ///
  /// Public keys need no protection; whoever asks takes them only for the service whose configured URL they come from.
  public struct Get: Endpoint {
    public typealias Response = JSONWebKeySet
    public static let operation = Operation.get(
      "/internal/v1/service-keys", "Get the public keys of the service's tokens", access: .anyone,
      limits: .init(seconds: 2)
    )
    public init() {}
  }
}
