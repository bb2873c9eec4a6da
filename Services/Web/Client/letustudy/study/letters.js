// @ts-check
/** Letters without their accents, as `Shared/StudyModel/Quizzes/LetterFolding.swift` has them. */

/** @type {[base: string, forms: string][]} */
const LETTERS = [
  ["a", "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặ"],
  ["b", "ḃḅḇƀ"],
  ["c", "çćĉċčḉ"],
  ["d", "ďḋḍḏḑḓđð"],
  ["e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"],
  ["f", "ḟ"],
  ["g", "ĝğġģǧǵḡǥ"],
  ["h", "ĥȟḣḥḧḩḫẖħ"],
  ["i", "ìíîïĩīĭįǐȉȋḭḯỉịı"],
  ["j", "ĵǰ"],
  ["k", "ķǩḱḳḵ"],
  ["l", "ĺļľḷḹḻḽł"],
  ["m", "ḿṁṃ"],
  ["n", "ñńņňǹṅṇṉṋ"],
  ["o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ"],
  ["p", "ṕṗ"],
  ["r", "ŕŗřȑȓṙṛṝṟ"],
  ["s", "śŝşšșṡṣṥṧṩſẛ"],
  ["t", "ţťțṫṭṯṱẗŧ"],
  ["u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"],
  ["v", "ṽṿ"],
  ["w", "ŵẁẃẅẇẉẘ"],
  ["x", "ẋẍ"],
  ["y", "ýÿŷȳẏẙỳỵỷỹ"],
  ["z", "źżžẑẓẕ"],
  ["ʒ", "ǯ"],
  ["ae", "æǣǽ"],
  ["oe", "œ"],
  ["ss", "ß"],
  ["th", "þ"],
  ["ij", "ĳ"],
  ["α", "άἀἁἂἃἄἅἆἇὰᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"],
  ["ε", "έἐἑἒἓἔἕὲ"],
  ["η", "ήἠἡἢἣἤἥἦἧὴᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"],
  ["ι", "ΐίϊἰἱἲἳἴἵἶἷὶῐῑῒῖῗι"],
  ["ο", "όὀὁὂὃὄὅὸ"],
  ["ρ", "ῤῥ"],
  ["σ", "ς"],
  ["υ", "ΰϋύὐὑὒὓὔὕὖὗὺῠῡῢῦῧ"],
  ["ω", "ώὠὡὢὣὤὥὦὧὼᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"],
  ["г", "ѓ"],
  ["е", "ёѐ"],
  ["и", "ѝ"],
  ["к", "ќ"],
  // Second code points of accented vowels, which editors replace by the first.
  ["α", "\u{1F71}"],
  ["ε", "\u{1F73}"],
  ["η", "\u{1F75}"],
  ["ι", "\u{1F77}\u{1FD3}"],
  ["ο", "\u{1F79}"],
  ["υ", "\u{1F7B}\u{1FE3}"],
  ["ω", "\u{1F7D}"],
];

const TABLE = new Map(LETTERS.flatMap(([base, forms]) => [...forms].map((form) => [form, base])));

/** What a lowercase letter is without accents; `undefined` if it stays. @param {string} letter */
export const baseOf = (letter) => TABLE.get(letter);

/** More accents; vowel points of Hebrew and Arabic, which are usually not written; the lengthening stroke of Arabic. */
const MARKS =
  /[\u1AB0-\u1AFF\u1DC0-\u1DFF\uFE20-\uFE2F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0640\u064B-\u065F\u0670]/;

/**
 * Whether a mark is an accent on the letter before it, instead of a part of another letter.
 * @param {string} mark
 * @param {string} previous
 */
export function isAccent(mark, previous) {
  if (mark < "\u0300" || mark > "\u036F") return MARKS.test(mark);
  if (!/^[\u0400-\u052F]$/.test(previous)) return true;
  // stress marks, and the two dots of ё
  return mark <= "\u0301" || (mark === "\u0308" && previous === "е");
}
