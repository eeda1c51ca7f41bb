/** The folding of texts: what readers of each script type, and what they must not find. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { fold, spellings } from "../../lib/platform/fold.ts";

/** Texts, and what they are folded to. */
const FOLDED: readonly (readonly [text: string, folded: string])[] = [
  // Latin: case, accents, letters that no accent makes, ligatures, signs of other widths.
  ["Malmö ÉCLAIR naïve", "malmo eclair naive"],
  ["Straße, STRASSE, GROẞE", "strasse, strasse, grosse"],
  ["Łódź Wrocław", "lodz wroclaw"],
  ["Smørrebrød på Færøerne, Œuvre", "smorrebrod pa faeroerne, oeuvre"],
  ["Þingvellir Siglufjörður Đakovo Ħamrun", "thingvellir siglufjordur dakovo hamrun"],
  ["ﬁnal Ａ１２ ① ㎏ ™", "final a12 1 kg tm"],
  // Turkish and Azerbaijani
  ["Iğdır İSTANBUL Gəncə", "igdir istanbul gence"],
  // Vietnamese, whose vowels have two marks
  ["Đà Nẵng, Huế, Điện Biên Phủ", "da nang, hue, dien bien phu"],
  // Greek, with both forms of sigma
  ["Χάκαθον ΟΔΟΣ οδός Ϊόνιο", "χακαθον οδοσ οδοσ ιονιο"],
  // Cyrillic
  ["Йод ёлка Київ Ґанок Ќерка", "иод елка киів ганок керка".normalize("NFC")],
  // Arabic and Persian: vowels, the line that lengthens, forms of alef, yeh, kaf and heh, digits
  ["مُحَمَّد مـحـمـد", "محمد محمد"],
  ["أحمد إيمان آب ٱلْقَاهِرَة مستشفى", "احمد ايمان اب القاهره مستشفي"],
  ["کتابخانهٔ تهران ۲۰۲۶ می\u200cخواهم", "كتابخانه تهران 2026 ميخواهم"],
  // Hebrew: points, and its own quotes and hyphen
  ["שָׁלוֹם צה״ל בית־ספר", "שלום צהל בית ספר"],
  // Scripts whose marks are letters
  ["バス ﾊﾞｽ ｶﾞｰﾄﾞ", "バス バス ガード"],
  ["दिल्ली २०२६", "दिल्ली 2026"],
  ["กรุงเทพมหานคร", "กรุงเทพมหานคร"],
  ["சென்னை ಬೆಂಗಳೂರು", "சென்னை ಬೆಂಗಳೂರು"],
  ["서울 해커톤", "서울 해커톤"],
  ["서울 해커톤".normalize("NFD"), "서울 해커톤"],
  // Typography
  ["Women’s women's women´s womenʼs", "womens womens womens womens"],
  ["“Game‑Jam” – «game−jam» „GAME—JAM‟", "game jam game jam game jam"],
  ["Donau\u00addampf\u200bschiff\u2060fahrt \u202ex\ufe0f", "donaudampfschifffahrt x"],
  ["a\u00a0b\u2009c\u3000d\n e", "a b c d e"],
];

/** Texts that mean the same, and texts that do not. */
const SAME: readonly (readonly [one: string, other: string, same: boolean])[] = [
  ["München", "muenchen", true],
  ["Muenchen", "munchen", false],
  ["Århus", "Aarhus", true],
  ["Tromsø", "tromsoe", true],
  ["Novak Đoković", "novak djokovic", true],
  ["Co-Working", "coworking", true],
  ["co‑working", "Co working", true],
  ["U.S.A.", "USA", true],
  ["St. Gallen", "st gallen", true],
  ["Node.js", "nodejs", true],
  // A letter that is meant is none that is written out.
  ["fuel", "ful", false],
  ["3-5", "35", false],
  ["バス", "ハス", false],
  ["दल", "दिल्ली", false],
  ["しゃ", "しや", false],
];

Deno.test("texts are compared without case, accents and typography, and whole in scripts whose marks are letters", () => {
  for (const [text, folded] of FOLDED) {
    assert.equal(fold(text), folded, text);
    assert.equal(fold(text.normalize("NFD")), folded, text);
  }
});

Deno.test("the spellings of a word that readers take for one are shared", () => {
  for (const [one, other, same] of SAME) {
    const shared = spellings(one).filter((each) => spellings(other).includes(each));
    assert.equal(shared.length > 0, same, `${one}, ${other}: ${shared}`);
  }
});

Deno.test("a text that was folded stays as it is", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.equal(fold(fold(text)), fold(text));
  }));
});
