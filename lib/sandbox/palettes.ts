// The styles that sample events wear: light, calm, dark and loud ones. A test holds every one of them to 4.5:1 for text and
// buttons and 3:1 for the accent, over the whole of its background.

/** One style of an event's card. Colours are `#rrggbb`; lengths are CSS pixels. */
export interface Palette {
  readonly name: string;
  readonly mood: "light" | "calm" | "dark" | "loud";
  /** The three stops of the background picture; the middle one is the plain background colour. */
  readonly ramp: readonly [string, string, string];
  readonly text: string;
  readonly accent: string;
  readonly button: {
    readonly color: string;
    readonly text: string;
    readonly radius: number;
    readonly borderWidth: number;
    readonly borderColor: string;
  };
}

/** Every style of the sample. */
export const PALETTES: readonly Palette[] = [
  {
    name: "paper",
    mood: "light",
    ramp: ["#fbf7ef", "#f6ead7", "#efe0c4"],
    text: "#2b2118",
    accent: "#a34a24",
    button: {
      color: "#2b2118",
      text: "#fbf7ef",
      radius: 6,
      borderWidth: 0,
      borderColor: "#2b2118",
    },
  },
  {
    name: "mint",
    mood: "light",
    ramp: ["#effaf3", "#d5f2e1", "#bfe8d4"],
    text: "#10372a",
    accent: "#0c6b4c",
    button: {
      color: "#0c6b4c",
      text: "#ffffff",
      radius: 999,
      borderWidth: 0,
      borderColor: "#0c6b4c",
    },
  },
  {
    name: "sky",
    mood: "light",
    ramp: ["#f0f7ff", "#d6e8ff", "#bcd8fb"],
    text: "#0d2a4d",
    accent: "#1a56b0",
    button: {
      color: "#1a56b0",
      text: "#ffffff",
      radius: 8,
      borderWidth: 0,
      borderColor: "#1a56b0",
    },
  },
  {
    name: "lilac",
    mood: "light",
    ramp: ["#f7f2ff", "#e7dafc", "#d8c6f7"],
    text: "#2d1650",
    accent: "#6a31c4",
    button: {
      color: "#ffffff",
      text: "#4d1f96",
      radius: 12,
      borderWidth: 2,
      borderColor: "#6a31c4",
    },
  },
  {
    name: "peach",
    mood: "light",
    ramp: ["#fff3ec", "#ffdcc9", "#ffc9b0"],
    text: "#4a1d0c",
    accent: "#a03509",
    button: {
      color: "#a03509",
      text: "#ffffff",
      radius: 20,
      borderWidth: 0,
      borderColor: "#a03509",
    },
  },
  {
    name: "fog",
    mood: "light",
    ramp: ["#f4f5f7", "#e3e6ea", "#d3d8df"],
    text: "#1f2733",
    accent: "#46566b",
    button: {
      color: "#1f2733",
      text: "#f4f5f7",
      radius: 2,
      borderWidth: 0,
      borderColor: "#1f2733",
    },
  },
  {
    name: "sage",
    mood: "calm",
    ramp: ["#f2f4ea", "#dfe7d3", "#c9d8be"],
    text: "#26301f",
    accent: "#446234",
    button: {
      color: "#f2f4ea",
      text: "#26301f",
      radius: 10,
      borderWidth: 1,
      borderColor: "#446234",
    },
  },
  {
    name: "dusk",
    mood: "calm",
    ramp: ["#f3e9ee", "#e6d3df", "#cfbdd6"],
    text: "#33203c",
    accent: "#7a3f6d",
    button: {
      color: "#7a3f6d",
      text: "#ffffff",
      radius: 14,
      borderWidth: 0,
      borderColor: "#7a3f6d",
    },
  },
  {
    name: "midnight",
    mood: "dark",
    ramp: ["#0b1026", "#16204a", "#2a3370"],
    text: "#eef1ff",
    accent: "#9db2ff",
    button: {
      color: "#9db2ff",
      text: "#0b1026",
      radius: 8,
      borderWidth: 0,
      borderColor: "#9db2ff",
    },
  },
  {
    name: "forest",
    mood: "dark",
    ramp: ["#0c1f17", "#14362a", "#1f4d3a"],
    text: "#eaf7ee",
    accent: "#7bd6a0",
    button: {
      color: "#7bd6a0",
      text: "#0c1f17",
      radius: 999,
      borderWidth: 0,
      borderColor: "#7bd6a0",
    },
  },
  {
    name: "plum",
    mood: "dark",
    ramp: ["#1c0b24", "#35134a", "#4f1f63"],
    text: "#fbeefe",
    accent: "#e39bff",
    button: {
      color: "#1c0b24",
      text: "#fbeefe",
      radius: 6,
      borderWidth: 2,
      borderColor: "#e39bff",
    },
  },
  {
    name: "ember",
    mood: "dark",
    ramp: ["#1a0d08", "#3a1710", "#5c2414"],
    text: "#fff0e6",
    accent: "#ff9a62",
    button: {
      color: "#ff9a62",
      text: "#1a0d08",
      radius: 4,
      borderWidth: 0,
      borderColor: "#ff9a62",
    },
  },
  {
    name: "ink",
    mood: "dark",
    ramp: ["#101214", "#1c2126", "#2b323a"],
    text: "#f2f5f7",
    accent: "#9fd3ff",
    button: {
      color: "#f2f5f7",
      text: "#101214",
      radius: 0,
      borderWidth: 0,
      borderColor: "#f2f5f7",
    },
  },
  {
    name: "abyss",
    mood: "dark",
    ramp: ["#04181f", "#08303b", "#0d4a57"],
    text: "#e6fafc",
    accent: "#5fe0e6",
    button: {
      color: "#04181f",
      text: "#e6fafc",
      radius: 10,
      borderWidth: 1,
      borderColor: "#5fe0e6",
    },
  },
  {
    name: "arcade",
    mood: "loud",
    ramp: ["#2b0a5e", "#6a0fa8", "#9a1278"],
    text: "#ffffff",
    accent: "#ffe14d",
    button: {
      color: "#ffe14d",
      text: "#2b0a5e",
      radius: 0,
      borderWidth: 3,
      borderColor: "#2b0a5e",
    },
  },
  {
    name: "signal",
    mood: "loud",
    ramp: ["#ffe03d", "#ffc91f", "#ffb52e"],
    text: "#1a1400",
    accent: "#7a2400",
    button: {
      color: "#1a1400",
      text: "#ffe03d",
      radius: 0,
      borderWidth: 0,
      borderColor: "#1a1400",
    },
  },
  {
    name: "flamingo",
    mood: "loud",
    ramp: ["#ffa3bd", "#ff8fa8", "#ffab91"],
    text: "#2b0715",
    accent: "#6b0f3f",
    button: {
      color: "#2b0715",
      text: "#ffd9e3",
      radius: 999,
      borderWidth: 3,
      borderColor: "#6b0f3f",
    },
  },
  {
    name: "volt",
    mood: "loud",
    ramp: ["#d6ff57", "#b4f23c", "#8fe86b"],
    text: "#122000",
    accent: "#1d5200",
    button: {
      color: "#122000",
      text: "#d6ff57",
      radius: 4,
      borderWidth: 0,
      borderColor: "#122000",
    },
  },
  {
    name: "cobalt",
    mood: "loud",
    ramp: ["#0a2fc4", "#1a3fe0", "#2a4fd0"],
    text: "#ffffff",
    accent: "#ffd166",
    button: {
      color: "#ffd166",
      text: "#0a1f6b",
      radius: 6,
      borderWidth: 0,
      borderColor: "#ffd166",
    },
  },
];
