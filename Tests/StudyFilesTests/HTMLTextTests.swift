import TestKit
import Testing

@testable import StudyFiles

struct HTMLTextTests {
  @Test(arguments: [
    ("a<br>b", "a\nb"), ("<div>a</div><div>b</div>", "a\nb"), ("a<div><br></div><div>b</div>", "a\n\nb"),
    ("a  \n b\t c", "a b c"), ("a&nbsp; b", "a  b"),
    ("&lt;b&gt; &amp;amp; &#x41;&#66;&eacute;&Uuml;", "<b> &amp; ABéÜ"),
    ("&unknown; & &;", "&unknown; & &;"), ("&#0;&#xD800;&#99999999999;", "\u{FFFD}\u{FFFD}&#99999999999;"),
    ("1 < 2 > 1", "1 < 2 > 1"), ("<script>alert('<b>')</script>x<STYLE>y</STYLE >z", "xz"),
    ("a<!-- <b> -->b", "ab"), ("<p title=\"a>b\">x</p>", "x"), ("x<p", "x"), ("x<a href=\"", "x"),
    ("<ul><li>one<li>two</ul>end", "one\ntwo\nend"), ("<td>a</td><td>b</td>", "a b"), ("\u{A0}a", " a"),
    ("a<br><br>", "a"), ("<svg onload=alert(1)>hi</svg>", "hi"),
  ])
  func theTextIsPlain(_ html: String, _ text: String) {
    #expect(HTMLText(Array(html.utf8)).text == text)
  }

  @Test func mediaAreListedOnce() {
    let html = """
      <img src="a b.png"><IMG class=x SRC=b.png><img src='c&amp;d.png'>[sound:e.mp3][sound:e.mp3]<audio src="f.ogg">
      <img src="https://example.org/x.png"><img src="data:image/png;base64,AA"> [sound:unclosed
      """
    let found = HTMLText(Array(html.utf8))
    #expect(found.media == ["a b.png", "b.png", "c&d.png", "e.mp3", "f.ogg"])
    #expect(found.text == "[sound:unclosed")
  }

  @Test func manyMediaAreBoundedInLinearTime() {
    let names = (0..<999).map { "<img src=\(String(repeating: "x", count: 30))\($0)>" }.joined()
    let repeated = String(repeating: "<img src=\(String(repeating: "x", count: 30))998>", count: 200_000)
    #expect(HTMLText(Array((names + repeated).utf8)).media.count == 999)
  }

  @Test func encodedTextIsReadBackUnchanged() {
    var random = SeededGenerator()
    for _ in 0..<2000 {
      // No-break spaces are read as spaces.
      let text = random.text(["\n", "  ", " \n ", "&nbsp;"]).split(separator: "\u{A0}").joined()
      #expect(HTMLText(Array(HTMLEntities.encode(text).utf8)).text == text.trimmingLineBreaks, "\(random)")
    }
  }

  @Test func spacesBeforeLineBreaksAreEncodedInLinearTime() {
    let html = HTMLEntities.encode(String(repeating: "x \n", count: 300_000))
    #expect(html.utf8.count == 300_000 * 11)
    #expect(HTMLEntities.encode(" a  b \r\n c ") == "&nbsp;a &nbsp;b&nbsp;<br>&nbsp;c&nbsp;")
  }

  @Test func hostileTextTakesLinearTime() {
    for piece in ["<a ", "[sound:", "<!-", "</", "&#", "<a x=\"", "<script></x ", "{{c1::", "}}"] {
      let html = Array(String(repeating: piece, count: 300_000 / piece.utf8.count).utf8)
      #expect(HTMLText(html).text.utf8.count <= html.count)
      #expect(ClozeText(html).render(1, isAnswer: false).count <= html.count)
    }
  }
}

extension String {
  fileprivate var trimmingLineBreaks: String {
    let scalars = unicodeScalars.drop { $0 == "\n" }
    return String(
      scalars.reversed().drop { $0 == "\n" }.reversed().reduce(into: String.UnicodeScalarView()) { $0.append($1) })
  }
}
