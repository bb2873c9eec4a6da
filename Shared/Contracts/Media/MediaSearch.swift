public enum MediaSort: String, WireEnum {
  /// Best matches first; pages of it end after some hundreds.
  case relevance
  case newest
  /// Shortest first; without those that cannot be played.
  case duration
  /// Alphabetically; without those that have no title.
  case title
}

/// How many media have a value.
public struct MediaCounts: Codable, Sendable, Equatable {
  public struct Count: Codable, Sendable, Equatable {
    public var value: String
    public var count: Int
    public init(value: String, count: Int) { (self.value, self.count) = (value, count) }
  }

  public var kinds: [Count]
  /// The most frequent ones, at most 50; each is counted over all matches. The same is true of the others.
  public var tags: [Count]
  public var workoutTypes: [Count]
  public var productTypes: [Count]

  public init(kinds: [Count], tags: [Count], workoutTypes: [Count], productTypes: [Count]) {
    (self.kinds, self.tags, self.workoutTypes, self.productTypes) = (kinds, tags, workoutTypes, productTypes)
  }
}
