/**
 * Those messages of KV Connect's data path (denokv, `proto/schema/datapath.proto`) that Foyer needs. A key is a text
 * with one character for each byte: such texts compare as the bytes do.
 */

import { Buffer } from "node:buffer";
import { PbfReader, PbfWriter } from "pbf";

/** The entries from `start` to `end`, exclusive. */
export interface ReadRange {
  start: string;
  end: string;
  limit: number;
  reverse: boolean;
}

/** A commit's check of a key: this versionstamp, or none. */
export interface Check {
  key: string;
  versionstamp: Uint8Array;
}

/** A change of one key. */
interface Mutation {
  key: string;
  kind: number;
  value: StoredValue;
  /** Epoch milliseconds; 0 for never. */
  expiresAt: number;
}

/** An encoded value, which only clients decode. */
export interface StoredValue {
  data: Uint8Array;
  encoding: number;
}

/** The entry of a key. */
export interface Entry extends StoredValue {
  readonly key: string;
  readonly versionstamp: Uint8Array;
  readonly expiresAt: number;
}

/** The kinds of mutations that Foyer makes. */
export const SET = 1;
export const DELETE = 2;
/** Adds 64 bits, little-endian, with wraparound. */
export const SUM = 3;

/** The statuses of reads and commits. */
const SUCCESS = 1;
const CHECK_FAILED = 2;

/** Reads a `SnapshotRead`. */
export function decodeRead(body: Uint8Array): ReadRange[] {
  return new PbfReader(body).readFields<ReadRange[]>((field, ranges, pbf) => {
    if (field !== 1) return;
    const range = { start: "", end: "", limit: 0, reverse: false };
    ranges.push(pbf.readMessage(readRange, range));
  }, []);
}

function readRange(field: number, range: ReadRange, pbf: PbfReader): void {
  if (field === 1) range.start = readKey(pbf);
  else if (field === 2) range.end = readKey(pbf);
  else if (field === 3) range.limit = pbf.readVarint(true);
  else if (field === 4) range.reverse = pbf.readBoolean();
}

/** Reads an `AtomicWrite`. */
export function decodeWrite(body: Uint8Array) {
  const write = { checks: [] as Check[], mutations: [] as Mutation[] };
  return new PbfReader(body).readFields((field, { checks, mutations }, pbf) => {
    if (field === 1) {
      checks.push(pbf.readMessage(readCheck, { key: "", versionstamp: new Uint8Array() }));
    } else if (field === 2) {
      const value = { data: new Uint8Array(), encoding: 0 };
      mutations.push(pbf.readMessage(readMutation, { key: "", kind: 0, value, expiresAt: 0 }));
    }
  }, write);
}

function readCheck(field: number, check: Check, pbf: PbfReader): void {
  if (field === 1) check.key = readKey(pbf);
  else if (field === 2) check.versionstamp = pbf.readBytes();
}

function readMutation(field: number, mutation: Mutation, pbf: PbfReader): void {
  if (field === 1) mutation.key = readKey(pbf);
  else if (field === 2) pbf.readMessage(readValue, mutation.value);
  else if (field === 3) mutation.kind = pbf.readVarint();
  else if (field === 4) mutation.expiresAt = pbf.readVarint(true);
}

function readValue(field: number, value: StoredValue, pbf: PbfReader): void {
  // A copy: the request's body would stay in memory as long as a part of it.
  if (field === 1) value.data = pbf.readBytes().slice();
  else if (field === 2) value.encoding = pbf.readVarint();
}

/** Writes the `SnapshotReadOutput` of a successful read. */
export function encodeReadOutput(ranges: readonly (readonly Entry[])[]): Uint8Array {
  const pbf = new PbfWriter();
  for (const entries of ranges) pbf.writeMessage(1, writeRange, entries);
  pbf.writeBooleanField(4, true);
  pbf.writeVarintField(8, SUCCESS);
  return pbf.finish();
}

function writeRange(entries: readonly Entry[], pbf: PbfWriter): void {
  for (const entry of entries) pbf.writeMessage(1, writeEntry, entry);
}

function writeEntry({ key, data, encoding, versionstamp }: Entry, pbf: PbfWriter): void {
  pbf.writeBytesField(1, Buffer.from(key, "latin1"));
  pbf.writeBytesField(2, data);
  pbf.writeVarintField(3, encoding);
  pbf.writeBytesField(4, versionstamp);
}

/** Writes an `AtomicWriteOutput`: the commit's versionstamp, or that a check has failed. */
export function encodeWriteOutput(versionstamp: Uint8Array | null): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeVarintField(1, versionstamp === null ? CHECK_FAILED : SUCCESS);
  if (versionstamp !== null) pbf.writeBytesField(2, versionstamp);
  return pbf.finish();
}

function readKey(pbf: PbfReader): string {
  return Buffer.from(pbf.readBytes()).toString("latin1");
}
