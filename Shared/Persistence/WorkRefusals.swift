import Threads

extension DatabaseError {
  /// The work for a database was not taken.
  init(_ refusal: WorkRefusal) {
    switch refusal.kind {
    case .closed: self.init(.closed)
    case .overloaded: self.init(.overloaded, refusal.description)
    }
  }
}
