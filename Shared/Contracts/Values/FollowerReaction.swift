/// How often an emoji was chosen as a reaction to what a user shows to followers.
public struct FollowerReaction: Codable, Sendable, Equatable {
  public var emoji: Emoji
  public var count: Int
  /// Whether the caller reacted so.
  public var isMine: Bool

  public init(emoji: Emoji, count: Int, isMine: Bool) { (self.emoji, self.count, self.isMine) = (emoji, count, isMine) }
}
