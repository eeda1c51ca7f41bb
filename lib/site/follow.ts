/** The page *Follow*: what a visitor can subscribe to, and how. */

import { blocks, link, list } from "../documents/mod.ts";
import { EVENT_STATUSES, type EventStatus } from "../events/browser.ts";
import { DEFAULT_FEED_LIMIT } from "../events/mod.ts";
import { twinOf } from "../http/mod.ts";
import type { Labelled } from "./calendar_links.ts";
import { followHref, isNarrow, type Selection, subscribeHref } from "./programme_query.ts";

/** A way to follow the events. */
export interface FollowWay {
  readonly title: string;
  /** A sentence about what it does, and one about what it contains. */
  readonly about: string;
  readonly links: readonly Labelled[];
  /** What a visitor copies into another program. */
  readonly copied: readonly { readonly label: string; readonly text: string }[];
}

/** The heading and the sentence below it. */
export const FOLLOW = {
  title: "Follow",
  summary:
    "New events, and changes to those that you know, reach you in your calendar, in a feed reader " +
    "or in your own program.",
} as const;

const STATES = {
  ongoing: ["On now", "on now"],
  upcoming: ["Coming up", "coming up"],
  ended: ["Past events", "over"],
} as const satisfies Record<EventStatus, readonly [label: string, isWhat: string]>;

/** The choice of all events, then each state, which its link adds or removes. */
export function followStates(
  selection: Selection,
): readonly (Labelled & { readonly isOn: boolean })[] {
  const { statuses } = selection;
  const to = (changed: readonly EventStatus[]) => followHref({ ...selection, statuses: changed });
  return [
    { label: "All events", href: to([]), isOn: statuses.length === 0 },
    ...(["ongoing", "upcoming", "ended"] as const).map((status) => {
      const isOn = statuses.includes(status);
      const changed = EVENT_STATUSES.filter((each) =>
        each === status ? !isOn : statuses.includes(each)
      );
      return { label: STATES[status][0], href: to(changed), isOn };
    }),
  ];
}

/** What the selection asks for that no calendar and no feed can; null if there is nothing. */
export function followLimits(selection: Selection): string | null {
  return isNarrow({ ...selection, statuses: [] })
    ? "The addresses below choose by state only, so they contain every format and every topic."
    : null;
}

/**
 * The ways to follow the events that a selection chooses by their states.
 *
 * @param baseUrl without a trailing slash.
 */
export function followWays({ statuses }: Selection, baseUrl: string): readonly FollowWay[] {
  const chosen = EVENT_STATUSES.filter((status) => statuses.includes(status));
  const search = chosen.length === 0 ? "" : `?status=${chosen.join(",")}`;
  const words = chosen.length === 0
    ? "all events"
    : `events that are ${chosen.map((status) => STATES[status][1]).join(" or ")}`;
  const calendar = `${baseUrl}/calendar.ics${search}`;
  const webcal = subscribeHref(baseUrl, chosen);
  const outlook = new URLSearchParams({ url: calendar, name: "Foyer events" });
  const last = `the ${DEFAULT_FEED_LIMIT} announced last`;
  return [
    {
      title: "In your calendar",
      about: "Subscribe once: new events appear by themselves, changed dates move, and withdrawn " +
        `events are cancelled. The calendar contains ${words}; the file does not update itself.`,
      links: [
        {
          label: "Google Calendar",
          href: `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`,
        },
        { label: "Apple Calendar", href: webcal },
        {
          label: "Outlook",
          href: `https://outlook.live.com/calendar/0/addfromweb?${outlook}`,
        },
        { label: "File", href: `/calendar.ics${search}` },
      ],
      copied: [{ label: "Address for any other calendar", text: calendar }],
    },
    {
      title: "In a feed reader",
      about: "Give your reader one of these addresses, and it shows each event when it is " +
        "announced. " +
        (chosen.length === 0
          ? `Each feed contains ${last}.`
          : `Atom and JSON Feed contain ${last} of the ${words}; RSS contains ${last} of all events.`),
      links: [],
      copied: [
        { label: "RSS", text: `${baseUrl}/api/v1/events/rss` },
        { label: "Atom", text: `${baseUrl}/feed.atom${search}` },
        { label: "JSON Feed", text: `${baseUrl}/feed.json${search}` },
      ],
    },
    {
      title: "In your own program",
      about: `The API answers with ${words} as JSON, in full, and needs no key.`,
      links: [{ label: "Read how", href: "/docs/events" }],
      copied: [{ label: "Command", text: `curl "${baseUrl}/api/v1/events${search}"` }],
    },
  ];
}

/** The page as markdown. */
export function followMarkdown(selection: Selection, baseUrl: string): string {
  const to = ({ label, href }: Labelled) =>
    link(label, href.startsWith("/") ? `${baseUrl}${href}` : href);
  return blocks(
    `# ${FOLLOW.title}`,
    FOLLOW.summary,
    followLimits(selection),
    `Which events: ${
      followStates(selection).map(({ label, isOn, href }) =>
        `${to({ label, href: twinOf(href) })}${isOn ? " (chosen)" : ""}`
      ).join(", ")
    }`,
    ...followWays(selection, baseUrl).flatMap(({ title, about, links, copied }) => [
      `## ${title}`,
      about,
      list(links.map(to)),
      ...copied.map(({ label, text }) => `${label}:\n\n\`\`\`sh\n${text}\n\`\`\``),
    ]),
  );
}
