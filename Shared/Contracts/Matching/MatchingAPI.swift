/// Roommates, connections, follows, blocks and conversations. An area's endpoints and problems are in the file named
/// below, the types that they exchange beside it.
public enum MatchingAPI: ServiceAPI {
  public static let name = "matching"
  public static let summary = "Roommates, connections, follows, blocks and conversations"
  public static let endpoints: [any Endpoint.Type] = roommates + relations + conversations
}
