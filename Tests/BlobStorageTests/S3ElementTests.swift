import TestKit
import Testing

@testable import BlobStorage

struct S3ElementTests {
  @Test func elementsAndTextsAreRead() throws {
    let element = try #require(
      S3Element(
        Array(
          """
          <?xml version="1.0" encoding="UTF-8"?>
          <List xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Key>a &amp; b &lt;&#228;&#xE4;&gt;</Key><Empty/><Owner xsi:type='User'><ID>1</ID></Owner><Key>second</Key>
          </List>
          """.utf8)))
    #expect(element.name == "List")
    #expect(element.children.map(\.name) == ["Key", "Empty", "Owner", "Key"])
    #expect(element["Key"]?.text == "a & b <ää>")
    #expect(element["Owner"]?["ID"]?.text == "1")
  }

  @Test(arguments: [
    "", "text", "<a>", "<a></b>", "<a/><b/>", "<a", "<a b></a>", "<a b=c></a>", "<a>&unknown;</a>", "<a>&amp</a>",
    "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><![CDATA[x]]></a>", "<a>\u{0}</a", "<a>&#xD800;</a>",
    String(repeating: "<a>", count: 100_000),
  ])
  func anythingElseIsInvalid(_ text: String) { #expect(S3Element(Array(text.utf8)) == nil) }

  @Test func mutatedAnswersNeverTrap() {
    var generator = SeededGenerator()
    let answer = Array("<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><M a='b'>x &amp; &#65;</M></Error>".utf8)
    for _ in 0..<20_000 {
      var bytes = answer
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = S3Element(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
    }
  }

  @Test func timesOfListsAndFieldsAreRead() {
    #expect(S3Encoding.seconds(ofISO: "2026-11-20T18:00:00.123Z") == 1_795_197_600)
    #expect(S3Encoding.seconds(ofISO: "2026-11-20T18:00:00Z") == 1_795_197_600)
    #expect(S3Encoding.seconds(ofHTTP: "Fri, 20 Nov 2026 18:00:00 GMT") == 1_795_197_600)
    #expect(S3Encoding.seconds(ofHTTP: "yesterday") == nil)
  }
}
