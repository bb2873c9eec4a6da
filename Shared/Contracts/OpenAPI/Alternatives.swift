/// A type of which a value has exactly one of several sets of properties.
public protocol Alternatives {
  /// Each set has all properties that belong to no other.
  static var alternatives: [[String]] { get }
}
