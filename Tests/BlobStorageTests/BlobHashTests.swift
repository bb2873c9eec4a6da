import BlobStorage
import Testing

struct BlobHashTests {
  @Test(arguments: ["", "ab", String(repeating: "A", count: 64), String(repeating: "g", count: 64)])
  func onlyHashesAreHashes(_ text: String) { #expect(BlobHash(text) == nil) }
}
