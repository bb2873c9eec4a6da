/// The operations of a request, in the order in which they were done. One that is invalid does not refuse the others; too
/// many are refused before any is read.
public struct SyncOperationList: Sendable {
  public static let maxCount = 1000

  private let elements: [Lenient<SyncOperation>]

  public init(_ elements: [Lenient<SyncOperation>]) { self.elements = elements }
}

extension SyncOperationList: Codable {
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    guard (list.count ?? 0) <= Self.maxCount else {
      throw ValueError(at: decoder.codingPath, "must be at most \(Self.maxCount)")
    }
    var elements: [Lenient<SyncOperation>] = []
    while !list.isAtEnd { elements.append(try list.decode(Lenient<SyncOperation>.self)) }
    self.elements = elements
  }

  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension SyncOperationList: RandomAccessCollection, ExpressibleByArrayLiteral {
  public var startIndex: Int { elements.startIndex }
  public var endIndex: Int { elements.endIndex }
  public subscript(position: Int) -> Lenient<SyncOperation> { elements[position] }
  public init(arrayLiteral elements: Lenient<SyncOperation>...) { self.init(elements) }
}
