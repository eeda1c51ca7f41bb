// The times of faults of any kind: the plan, its JSON, and its address for curl.

/** The time of a fault. */
export interface Timing {
  /** The n-th matching request after it was planned, from 1; unset: the next for which no earlier fault is due. */
  nth?: number;
  /** Whether it repeats until the plan is cleared. */
  sticky?: boolean;
}

/** The planned faults. */
export interface Plan<F extends Timing, Occasion> {
  push(...faults: F[]): void;
  clear(): void;
  /** The planned faults in order, promises included. */
  readonly pending: readonly F[];
  /** The fault that is due for this request, if any: single ones first, in order, then sticky ones. */
  take(occasion: Occasion): F | undefined;
}

/** Makes an empty plan; `concerns` decides whether a fault affects a request. */
export function createPlan<F extends Timing, Occasion>(
  concerns: (fault: F, occasion: Occasion) => boolean,
): Plan<F, Occasion> {
  let entries: { fault: F; seen: number }[] = [];

  return {
    push(...faults) {
      entries.push(...faults.map((fault) => ({ fault, seen: 0 })));
    },
    clear() {
      entries = [];
    },
    get pending() {
      return entries.map(({ fault }) => fault);
    },
    take(occasion) {
      const due = entries.filter((entry) => {
        if (!concerns(entry.fault, occasion)) return false;
        entry.seen++;
        return entry.seen >= (entry.fault.nth ?? 1);
      });
      const taken = due.find(({ fault }) => !fault.sticky) ?? due[0];
      if (taken && !taken.fault.sticky) entries = entries.filter((entry) => entry !== taken);
      return taken?.fault;
    },
  };
}

/**
 * `GET` shows the planned faults, `POST` adds one or a list of them, `DELETE` removes all.
 * `parse` throws a TypeError whose sentence becomes a 400.
 */
export async function controlFaults<F extends Timing, Occasion>(
  request: Request,
  faults: Plan<F, Occasion>,
  parse: (value: unknown) => F,
): Promise<Response> {
  switch (request.method) {
    case "GET":
      return Response.json(faults.pending);
    case "DELETE":
      faults.clear();
      return new Response(null, { status: 204 });
    case "POST":
      try {
        faults.push(...[await request.json()].flat().map(parse));
        return Response.json(faults.pending, { status: 201 });
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
        return Response.json({ error: error.message }, { status: 400 });
      }
    default:
      return new Response(null, { status: 405, headers: { Allow: "GET, POST, DELETE" } });
  }
}

/** The members of a fault as it was written. */
export type Given = ReadonlyMap<string, unknown>;

/** @throws {TypeError} if `value` is not an object. */
export function readGiven(value: unknown): Given {
  if (typeof value !== "object" || value === null) throw new TypeError("A fault is an object");
  return new Map<string, unknown>(Object.entries(value));
}

/** @throws {TypeError} if `nth` is not a number. */
export function readTiming(given: Given): Timing {
  return {
    ...withoutUndefined({ nth: numeric(given, "nth") }),
    ...(given.get("sticky") === true ? { sticky: true } : {}),
  };
}

/** @throws {TypeError} if the member is present and not a number from 0. */
export function numeric(given: Given, name: string): number | undefined {
  const value = given.get(name);
  if (value === undefined || (typeof value === "number" && value >= 0)) return value;
  throw new TypeError(`${name} is a number from 0`);
}

/** @throws {TypeError} if the member is present and not a string. */
export function text(given: Given, name: string): string | undefined {
  const value = given.get(name);
  if (value === undefined || typeof value === "string") return value;
  throw new TypeError(`${name} is a string`);
}

/** @throws {TypeError} if the member is present and not an allowed value. */
export function oneOf<T>(given: Given, name: string, allowed: readonly T[]): T | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new TypeError(`${name} is one of ${allowed.join(", ")}`);
  return found;
}

/** The members that are not undefined, such as those of a written fault. */
export function withoutUndefined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const said = Object.entries(members).filter(([, value]) => value !== undefined);
  // Only undefined members are left out, so the rest has the promised type.
  return Object.fromEntries(said) as ReturnType<typeof withoutUndefined<Members>>;
}

/** @throws {TypeError} always, for a member that a kind of fault requires. */
export function missing(name: string): never {
  throw new TypeError(`This fault needs ${name}`);
}
