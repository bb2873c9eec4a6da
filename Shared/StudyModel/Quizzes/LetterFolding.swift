/// Letters without their accents.
///
/// The standard library offers no canonical decomposition (its `_nfd` is an interface for the system only and is not in
/// Apple's SDKs), and Foundation is not used here. The table holds every lowercase letter of the Latin and Greek blocks
/// that the Unicode Character Database decomposes into a base letter and marks, and letters that have no decomposition
/// but are usually typed without their stroke or as two letters. Of Cyrillic it folds only stress marks, ё, ѓ and ќ: й,
/// ї and ў are letters of their own. Text that is already decomposed folds to the same, because marks are dropped by
/// script.
enum LetterFolding {
  /// A lowercase letter without accents; `nil` if it stays.
  static func base(of scalar: Unicode.Scalar) -> String? { table[scalar] }

  private static let letters: [(base: String, forms: String)] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặ"), ("b", "ḃḅḇƀ"), ("c", "çćĉċčḉ"), ("d", "ďḋḍḏḑḓđð"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"), ("f", "ḟ"), ("g", "ĝğġģǧǵḡǥ"), ("h", "ĥȟḣḥḧḩḫẖħ"), ("i", "ìíîïĩīĭįǐȉȋḭḯỉịı"),
    ("j", "ĵǰ"), ("k", "ķǩḱḳḵ"), ("l", "ĺļľḷḹḻḽł"), ("m", "ḿṁṃ"), ("n", "ñńņňǹṅṇṉṋ"),
    ("o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ"), ("p", "ṕṗ"), ("r", "ŕŗřȑȓṙṛṝṟ"), ("s", "śŝşšșṡṣṥṧṩſẛ"),
    ("t", "ţťțṫṭṯṱẗŧ"), ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"), ("v", "ṽṿ"), ("w", "ŵẁẃẅẇẉẘ"), ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"), ("z", "źżžẑẓẕ"), ("ʒ", "ǯ"), ("ae", "æǣǽ"), ("oe", "œ"), ("ss", "ß"), ("th", "þ"), ("ij", "ĳ"),
    ("α", "άἀἁἂἃἄἅἆἇὰᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"), ("ε", "έἐἑἒἓἔἕὲ"), ("η", "ήἠἡἢἣἤἥἦἧὴᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
    ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶῐῑῒῖῗι"), ("ο", "όὀὁὂὃὄὅὸ"), ("ρ", "ῤῥ"), ("σ", "ς"), ("υ", "ΰϋύὐὑὒὓὔὕὖὗὺῠῡῢῦῧ"),
    ("ω", "ώὠὡὢὣὤὥὦὧὼᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"), ("г", "ѓ"), ("е", "ёѐ"), ("и", "ѝ"), ("к", "ќ"),
    // Second code points of accented vowels, which editors replace by the first.
    ("α", "\u{1F71}"), ("ε", "\u{1F73}"), ("η", "\u{1F75}"), ("ι", "\u{1F77}\u{1FD3}"), ("ο", "\u{1F79}"),
    ("υ", "\u{1F7B}\u{1FE3}"), ("ω", "\u{1F7D}"),
  ]

  private static let table: [Unicode.Scalar: String] = {
    var table: [Unicode.Scalar: String] = [:]
    for (base, forms) in letters {
      for form in forms.unicodeScalars { table[form] = base }
    }
    return table
  }()

  /// Whether a mark is an accent on the scalar before it, instead of a part of another letter.
  static func isAccent(_ mark: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch mark.value {
    case 0x0300...0x036F:
      guard let previous, (0x0400...0x052F).contains(previous.value) else { return true }
      // Stress marks, and the two dots of ё.
      return mark.value <= 0x0301 || (mark.value == 0x0308 && previous == "е")
    // More accents; vowel points of Hebrew and Arabic, which are usually not written; the lengthening stroke of Arabic.
    case 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0xFE20...0xFE2F, 0x0591...0x05BD, 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5,
      0x05C7, 0x0640, 0x064B...0x065F, 0x0670:
      return true
    default: return false
    }
  }
}
