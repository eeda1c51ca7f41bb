/** A chart of days. */

/** A bar of a day; `y` counts from the top. */
interface Bar {
  readonly y: number;
  readonly height: number;
  readonly class: string;
}

/** The distance between two days, and the width of a day. */
const STEP = 10;
const WIDTH = 7;

/** Bars for each day, from the last to the first; the oldest is drawn first. All charts stretch to their page. */
export function DaysChart({ label, height, days }: {
  readonly label: string;
  readonly height: number;
  readonly days: readonly { readonly title: string; readonly bars: readonly Bar[] }[];
}) {
  return (
    <svg
      class="days"
      viewBox={`0 0 ${days.length * STEP - (STEP - WIDTH)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.toReversed().map(({ title, bars }, index) => (
        <g key={title}>
          {/* For upstream alone: a title without a key becomes the page's. */}
          <title key={title}>{title}</title>
          {bars.map((bar) => <rect key={bar.class} x={index * STEP} width={WIDTH} {...bar} />)}
        </g>
      ))}
    </svg>
  );
}
