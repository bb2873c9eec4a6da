import Foundation

/// Texts for structures of the library, which keeps only pointers to them; valid as long as the object exists.
final class CTexts {
  private var texts: [UnsafeMutablePointer<CChar>] = []
  private var lists: [UnsafeMutablePointer<UnsafePointer<CChar>?>] = []

  deinit {
    for text in texts { free(text) }
    for list in lists { list.deallocate() }
  }

  func text(_ text: String?) -> UnsafePointer<CChar>? {
    guard let text, let copy = strdup(text) else { return nil }
    texts.append(copy)
    return UnsafePointer(copy)
  }

  func list(_ all: [String]) -> UnsafeMutablePointer<UnsafePointer<CChar>?> {
    let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: max(1, all.count))
    for (index, one) in all.enumerated() { list[index] = text(one) }
    lists.append(list)
    return list
  }
}
