// The organisation's own programmes, all of them made up: what conferences lack are events that go on for months or
// for ever, and ones that lie far enough ahead for the sample to have something upcoming until the middle of 2027.

/** A programme as it would be written into the table. No end date means that it goes on for ever. */
export interface Programme {
  readonly name: string;
  readonly description: string;
  readonly startDate: string;
  readonly endDate?: string;
  readonly format?: "in-person" | "online" | "both";
  readonly inPerson?: {
    readonly start?: string;
    readonly end?: string;
    readonly location?: string;
  };
  readonly projectTypes: readonly string[];
  readonly channel: string;
  readonly requirements: string;
  readonly pinned?: boolean;
  /** The style of its card; unset: it has none yet. */
  readonly palette?: string;
}

/** Ten that started in 2025 or 2026 and run past July 2027 or for ever, and two that start after that. */
export const PROGRAMMES: readonly Programme[] = [
  {
    name: "Open Bench",
    description:
      "Design a circuit board, have it made, bring it to life. The programme pays for one board per person and quarter, and there is always somebody in the channel who has burnt the same part before you.",
    startDate: "2025-09-01",
    format: "online",
    projectTypes: ["Electronics"],
    channel: "open-bench",
    requirements:
      "A schematic and a layout in an open format.\nA bill of materials under 50 US dollars.\nA journal with at least five entries.",
    pinned: true,
    palette: "forest",
  },
  {
    name: "First Page",
    description:
      "Put your first website online, written by hand. It can be about anything; a reviewer reads the source with you and it stays up for as long as you like.",
    startDate: "2025-10-06",
    format: "online",
    projectTypes: ["Websites"],
    channel: "first-page",
    requirements:
      "Written by you, without a site builder.\nReadable on a telephone.\nThe source is public.",
    palette: "sky",
  },
  {
    name: "The Long Arcade",
    description:
      "A game a month, at whatever size a month allows. Finished games are shown in the arcade, playable in the browser, with the notes of the people who tested them.",
    startDate: "2026-01-01",
    endDate: "2027-12-31",
    format: "online",
    projectTypes: ["Gamedev"],
    channel: "long-arcade",
    requirements:
      "Playable in a browser, or with a download under 200 MB.\nAt least ten minutes of play.\nArt and sound are yours or properly licensed.",
    pinned: true,
    palette: "arcade",
  },
  {
    name: "Printed Parts",
    description:
      "Draw a part that repairs something you own, print it, and write down how it held up. Models go into a shared library that anybody may print from.",
    startDate: "2025-11-17",
    format: "both",
    inPerson: { location: "Partner workshops; see the channel" },
    projectTypes: ["CAD"],
    channel: "printed-parts",
    requirements:
      "A parametric source file, not only a mesh.\nA photograph of the part in use.\nA note on what failed first.",
    palette: "paper",
  },
  {
    name: "Small Tools",
    description:
      "Write one small program that somebody other than you uses every week. The programme looks for that person with you and reads the first bug reports together with you.",
    startDate: "2026-02-02",
    endDate: "2027-08-31",
    format: "online",
    projectTypes: ["Software"],
    channel: "small-tools",
    requirements:
      "Installable with one command.\nA README that a stranger understands.\nTwo users who are not you.",
    palette: "fog",
  },
  {
    name: "Radio Year",
    description:
      "From a crystal set to software-defined radio in twelve steps, at your own pace. Each step ends with something that you can hear.",
    startDate: "2026-01-12",
    endDate: "2027-12-20",
    projectTypes: ["Electronics", "Software"],
    channel: "radio-year",
    requirements: "A log of what was received, where and with what.",
    palette: "midnight",
  },
  {
    name: "Keyboard Foundry",
    description:
      "Design a keyboard from the case to the firmware. The foundry makes one of each design that passes review, and the files stay open.",
    startDate: "2026-09-01",
    endDate: "2027-09-30",
    format: "both",
    inPerson: {
      start: "2027-04-10",
      end: "2027-04-11",
      location: "Assembly weekend, Utrecht, Netherlands",
    },
    projectTypes: ["Electronics", "CAD"],
    channel: "keyboard-foundry",
    requirements:
      "Case, plate and board files.\nFirmware that builds from source.\nA typing test video.",
    palette: "signal",
  },
  {
    name: "Repair Tuesdays",
    description:
      "Bring something broken, leave with something that works or with a good reason why not. Every Tuesday evening, in places that members open, and on a call for everybody else.",
    startDate: "2025-09-16",
    format: "in-person",
    inPerson: { start: "2025-09-16", location: "Member-run places; see the channel" },
    projectTypes: ["Electronics", "Other"],
    channel: "repair-tuesdays",
    requirements: "None. Tools are there.",
  },
  {
    name: "Neighbourhood Maps",
    description:
      "Map one thing in your neighbourhood that no map shows: benches, taps, ramps, good trees. The data go into OpenStreetMap; what you build on them is up to you.",
    startDate: "2026-05-04",
    endDate: "2027-07-31",
    format: "both",
    inPerson: { start: "2026-05-04", end: "2027-07-31" },
    projectTypes: ["Websites", "Software", "Other"],
    channel: "neighbourhood-maps",
    requirements: "At least fifty mapped objects.\nA page or a program that uses them.",
    palette: "sage",
  },
  {
    name: "Demo Fridays",
    description:
      "Five minutes each, no slides: show what you made this week, working or not. On the last Friday of a month, guests from outside give the feedback.",
    startDate: "2026-03-06",
    format: "online",
    projectTypes: ["Electronics", "Websites", "Software", "Gamedev", "CAD", "Other"],
    channel: "demo-fridays",
    requirements: "Something to show.",
    pinned: true,
    palette: "plum",
  },
  {
    name: "Summer Workshop 2027",
    description:
      "Six weeks of building together, with mentors in every time zone. The theme is voted on in May; applications close two weeks before the start.",
    startDate: "2027-07-05",
    endDate: "2027-08-15",
    format: "both",
    inPerson: { start: "2027-08-09", end: "2027-08-15", location: "Porto, Portugal" },
    projectTypes: ["Electronics", "Websites", "Software", "CAD"],
    channel: "summer-workshop",
    requirements: "A project idea in three sentences.\nTime for about ten hours a week.",
    palette: "peach",
  },
  {
    name: "Winter Game Jam 2027",
    description:
      "Forty-eight hours, one theme, any engine. Teams of up to four; solo entries have a table of their own.",
    startDate: "2027-12-03",
    endDate: "2027-12-05",
    format: "online",
    projectTypes: ["Gamedev"],
    channel: "winter-jam",
    requirements: "Made within the forty-eight hours.\nSource published with the entry.",
  },
];
