/** Tables as Excel, LibreOffice, Numbers and Google Sheets save them, and files that are none. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeTable, parseCsv, TableError } from "../../lib/platform/csv.ts";

const TEXT = "name;limit\r\nJürgen Weiß;4,50\r\nRenée O’Brien – “Zoë”;\r\n";

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, isLittle = true) => {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
};
/** The bytes of a text in an encoding of one byte for each letter. */
const oneByte = (text: string, encoding: string) => {
  const table = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, at) => at));
  return Uint8Array.from(text, (letter) => {
    const at = table.indexOf(letter);
    return at < 0 ? assert.fail(`${letter} is not in ${encoding}`) : at;
  });
};

Deno.test("a file is read in the encodings in which spreadsheets save", () => {
  const classic = TEXT.replaceAll("\r\n", "\r");
  const table: [what: string, bytes: Uint8Array<ArrayBuffer>, text: string][] = [
    ["UTF-8", utf8(TEXT), TEXT],
    ["CSV UTF-8 of Excel", utf8(`\uFEFF${TEXT}`), TEXT],
    ["Unicode text of Excel", utf16(`\uFEFF${TEXT}`), TEXT],
    ["UTF-16 without a mark", utf16(TEXT), TEXT],
    ["UTF-16 of a big-endian machine", utf16(`\uFEFF${TEXT}`, false), TEXT],
    ["big-endian without a mark", utf16(TEXT, false), TEXT],
    ["CSV of Excel", oneByte(TEXT, "windows-1252"), TEXT],
    ["CSV (Macintosh) of Excel", oneByte(classic, "macintosh"), classic],
    ["Spanish", oneByte("Ñoño Güell, 2ª", "windows-1252"), "Ñoño Güell, 2ª"],
    ["Danish", oneByte("Ærø, Sørensen", "windows-1252"), "Ærø, Sørensen"],
    ["nothing", new Uint8Array(), ""],
  ];
  for (const [what, bytes, text] of table) {
    const isGuessed = /^(?:CSV of|CSV \(|Spanish|Danish)/.test(what);
    assert.deepEqual(decodeTable(bytes), { text, isGuessed }, what);
  }
});

Deno.test("a file whose letters cannot be told, or that is no table, is refused with how to save it", () => {
  const table: [what: string, bytes: Uint8Array<ArrayBuffer>][] = [
    ["a workbook of today", utf8("PK\u0003\u0004…")],
    ["a workbook of 1997", Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1)],
    ["Polish", oneByte("name,reference\nŁukasz Wójcik,s-1\nGrażyna Śliwa,s-2", "windows-1250")],
    ["Russian", oneByte("name,reference\nИван Петров,s-1", "windows-1251")],
    ["Greek", oneByte("name,reference\nΝίκος Παπάς,s-1", "windows-1253")],
    ["a letter that Windows-1252 lacks", oneByte("Jürgen,s-1\n?ukasz,s-2", "windows-1252")],
    ["MS-DOS", Uint8Array.from([...utf8("M"), 0x84, ...utf8("rz,J"), 0x81, ...utf8("rgen")])],
    ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)],
  ];
  for (const [what, bytes] of table) {
    assert.throws(() => decodeTable(bytes), (error) => {
      assert.ok(error instanceof TableError, what);
      assert.match(error.message, /Save it as “CSV UTF-8/, what);
      return true;
    }, what);
  }
});

Deno.test("cells are parted as the region of a spreadsheet has it, and records without text are left out", () => {
  const plain = [[1, "a", "b"], [2, "1", "2"]];
  const table: [text: string, records: unknown[][]][] = [
    ["a,b\n1,2\n", plain],
    ["a;b\r\n1;2", plain],
    ["a\tb\r1\t2\r", plain],
    ["sep=;\na;b\n1;2", [[2, "a", "b"], [3, "1", "2"]]],
    ["SEP=|\r\na|b\r\n1|2", [[2, "a", "b"], [3, "1", "2"]]],
    ['"sep=,"\na,b\n1,2', [[2, "a", "b"], [3, "1", "2"]]],
    ["\uFEFFa,b\n1,2", plain],
    ["a,b\n,\n\n , \n1,2\n,,\n", [[1, "a", "b"], [5, "1", "2"]]],
    ['"a, or ; not";b;c\n1;2;3', [[1, "a, or ; not", "b", "c"], [2, "1", "2", "3"]]],
    ['a,b\n"1\n""x""",2\n3,4', [[1, "a", "b"], [2, '1\n"x"', "2"], [4, "3", "4"]]],
    ['a,b\n5" disk,2', [[1, "a", "b"], [2, '5" disk', "2"]]],
    ["a\n1", [[1, "a"], [2, "1"]]],
    ["", []],
  ];
  for (const [text, records] of table) {
    const parsed = [...parseCsv(text)].map(({ line, cells }) => [line, ...cells]);
    assert.deepEqual(parsed, records, JSON.stringify(text));
  }
  assert.throws(() => [...parseCsv('a,b\n1,2\n"Ada,x\n3,4')], /line 3: a quote is opened/);
});

Deno.test("any cells, written as RFC 4180 has them, are read back", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", ",", ";", "\t", '"', "\n", "é") });
  const record = fc.array(cell, { minLength: 2, maxLength: 2 });
  fc.assert(fc.property(fc.array(record), fc.constantFrom(",", ";", "\t"), (rows, separator) => {
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const all = [["x", "y"], ...rows];
    const text = all.map((cells) => cells.map(quote).join(separator)).join("\r\n");
    const parsed = [...parseCsv(text)].map(({ cells }) => cells);
    assert.deepEqual(parsed, all.filter((cells) => cells.some((each) => each.trim() !== "")));
  }));
});
