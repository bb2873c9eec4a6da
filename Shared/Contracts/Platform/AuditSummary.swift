/// How often what was done in a service, without anything about whom it concerned.
public struct AuditSummary: Codable, Sendable, Equatable {
  public struct Count: Codable, Sendable, Equatable {
    public var name: String
    public var count: Int
    public init(_ name: String, _ count: Int) { (self.name, self.count) = (name, count) }
  }

  /// The counts by action, in alphabetical order.
  public var actions: [Count]
  /// The counts by app, as far as known.
  public var apps: [Count]
  /// The counts by hour of the day in UTC, from 0 to 23.
  public var hours: [Int]
  /// The number of different actors.
  public var actors: Int

  public init(actions: [Count], apps: [Count], hours: [Int], actors: Int) {
    (self.actions, self.apps, self.hours, self.actors) = (actions, apps, hours, actors)
  }

  public var total: Int { actions.reduce(0) { $0 + $1.count } }
  /// The reads by staff.
  public var staffReads: [Count] { actions.filter { AuditAction.isStaffRead($0.name) } }
  /// The actions that were refused.
  public var refusals: [Count] { actions.filter { AuditAction.isRefusal($0.name) } }
}

/// The categories that the names of actions indicate.
public enum AuditAction {
  /// Whether a member of the staff has read data of others.
  public static func isStaffRead(_ action: String) -> Bool {
    action.hasSuffix("viewed") || action == "audit.searched" || action == "audit.exported"
  }

  public static func isRefusal(_ action: String) -> Bool { action.hasSuffix("failed") || action.hasSuffix("refused") }
}
