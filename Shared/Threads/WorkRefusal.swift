/// The reason why work was not taken.
package struct WorkRefusal: Error, Equatable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// Too much waits, or the caller would wait, or has waited, too long.
    case overloaded
    case closed
  }

  package let kind: Kind
  package let description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
