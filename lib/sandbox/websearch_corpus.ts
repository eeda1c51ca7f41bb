// The web as the sandbox knows it: short texts on assorted subjects, written for it.

/** A page. */
export interface Page {
  readonly url: string;
  readonly title: string;
  readonly author: string;
  /** ISO 8601, UTC. */
  readonly publishedDate: string;
  /** In whole sentences. */
  readonly text: string;
}

type Entry = readonly [path: string, title: string, author: string, day: string, text: string];

const ENTRIES: readonly Entry[] = [
  [
    "science/tides",
    "Why there are two tides a day",
    "Ines Marrow",
    "2024-03-11",
    "The moon pulls harder on the near side of the Earth than on the far side. The oceans bulge on both sides, " +
    "and the planet turns beneath the two bulges. A harbour therefore sees high water roughly every twelve and a " +
    "half hours. When sun and moon pull along one line, spring tides rise higher than usual.",
  ],
  [
    "science/rainbows",
    "How raindrops make a rainbow",
    "Tomas Vell",
    "2023-06-02",
    "Sunlight enters a raindrop, bends, reflects from the back and bends again on its way out. Each colour bends by " +
    "a slightly different angle, so the drop fans white light into a spectrum. Red leaves at about forty-two degrees " +
    "and violet at about forty. Every observer sees a rainbow made by other drops.",
  ],
  [
    "science/lichen",
    "Lichen: two lives in one crust",
    "Odile Brandt",
    "2025-01-19",
    "A lichen is a fungus that keeps algae. The fungus gives shelter and holds water, the algae turn light into " +
    "sugar. Lichens grow a millimetre or two a year and can cover a rock for centuries. Because they drink from the " +
    "air, they are a good measure of pollution.",
  ],
  [
    "science/supernova",
    "The last second of a heavy star",
    "Ines Marrow",
    "2025-08-30",
    "When the core of a heavy star has become iron, fusion gives no more energy. The core collapses in less than a " +
    "second and the outer layers are thrown off as a supernova. Gold and uranium come from such violent ends. What " +
    "remains is a neutron star or a black hole.",
  ],
  [
    "science/vaccines",
    "What a vaccine teaches the body",
    "Ruth Adeyo",
    "2024-10-07",
    "A vaccine shows the immune system a harmless part of a germ. Memory cells keep the pattern for years. When the " +
    "real germ arrives, antibodies are made in days rather than weeks. A second dose often makes the memory last longer.",
  ],
  [
    "computing/hash-tables",
    "Hash tables in one page",
    "Pavel Orr",
    "2024-05-21",
    "A hash table turns a key into a number and the number into a place in an array. Looking up takes the same time " +
    "however many keys there are, as long as few share a place. When too many do, the table grows and every key " +
    "moves. A good hash function spreads similar keys far apart.",
  ],
  [
    "computing/garbage-collection",
    "How programs forget: garbage collection",
    "Mina Castell",
    "2025-02-14",
    "A garbage collector finds memory that a program can no longer reach and takes it back. Most objects die young, " +
    "so collectors look at new objects often and at old ones rarely. A pause while everything is traced can be felt " +
    "by users. Modern collectors do most of their work beside the running program.",
  ],
  [
    "computing/http-caching",
    "Caching on the web, from header to disk",
    "Pavel Orr",
    "2025-11-03",
    "A response says with Cache-Control how long it may be kept. After that time a browser asks again with the entity " +
    "tag it holds, and the server answers 304 if nothing changed. Shared caches obey the same headers as browsers. A " +
    "wrong header is hard to take back, because the copies are elsewhere.",
  ],
  [
    "computing/typescript",
    "What TypeScript adds to JavaScript",
    "Mina Castell",
    "2026-02-09",
    "TypeScript is JavaScript with types that are checked before the program runs and then erased. A union type says " +
    "that a value is one of several shapes, and a check narrows it. The compiler cannot know what comes over the " +
    "network. Data from outside must still be validated while the program runs.",
  ],
  [
    "computing/deno",
    "Deno, a runtime with permissions",
    "Pavel Orr",
    "2026-04-25",
    "Deno runs TypeScript without a build step. A program may read files or use the network only if it is allowed to. " +
    "The runtime brings a formatter, a linter, a test runner and a key-value database. Web interfaces such as fetch " +
    "and streams work as they do in a browser.",
  ],
  [
    "computing/rate-limits",
    "Rate limits that are fair",
    "Lena Hoff",
    "2026-06-12",
    "A rate limit keeps one caller from taking what belongs to all. A fixed window lets twice the limit through at its " +
    "edge, a sliding window does not. A refusal should say when to try again. Good clients wait longer after each failure.",
  ],
  [
    "cooking/sourdough",
    "Sourdough bread for beginners",
    "Greta Solano",
    "2023-11-28",
    "Sourdough bread rises by wild yeast that lives in a starter of flour and water. Feed the starter every day until " +
    "it doubles in a few hours. Mix the dough wet, fold it gently and let it rest overnight in the cold. Bake it hot, " +
    "in a covered pot, so that steam keeps the crust soft until the loaf has risen.",
  ],
  [
    "cooking/tomato-sauce",
    "A tomato sauce of four ingredients",
    "Greta Solano",
    "2024-08-16",
    "Ripe tomatoes, olive oil, garlic and salt are enough for a sauce. Warm the garlic slowly in the oil without " +
    "browning it. Add the tomatoes, crush them and let them simmer for half an hour. Butter makes the sauce milder, " +
    "basil comes last.",
  ],
  [
    "cooking/knives",
    "Keeping a kitchen knife sharp",
    "Aron Pike",
    "2025-05-05",
    "A sharp knife is safer than a blunt one because it does not slip. A whetstone removes a little steel at a steady " +
    "angle of fifteen to twenty degrees. A honing rod only straightens the edge between sharpenings. Wash knives by " +
    "hand and dry them at once.",
  ],
  [
    "cooking/fermentation",
    "Sauerkraut and other patient vegetables",
    "Greta Solano",
    "2026-01-13",
    "Salt draws water out of cabbage and keeps the wrong bacteria away. Lactic acid bacteria turn sugar into acid and " +
    "the cabbage into sauerkraut. It needs two to six weeks in a cool room, always under its brine. The same method " +
    "works for carrots, radishes and beans.",
  ],
  [
    "garden/compost",
    "Compost without a smell",
    "Hugo Lind",
    "2024-04-09",
    "Compost needs air, water and a mixture of green and brown. Kitchen scraps and cut grass are green, dry leaves and " +
    "cardboard are brown. A heap that smells has too much green and too little air, so turn it and add leaves. In " +
    "half a year it becomes dark soil that plants love.",
  ],
  [
    "garden/bees",
    "A garden for wild bees",
    "Odile Brandt",
    "2025-03-27",
    "Most bees live alone and nest in the ground or in hollow stems. They need flowers from early spring to late " +
    "autumn and a patch of bare soil. Native plants feed more kinds of bees than showy hybrids. Leave dead stems " +
    "standing until spring.",
  ],
  [
    "garden/tomatoes",
    "Growing tomatoes on a balcony",
    "Hugo Lind",
    "2025-04-18",
    "Tomatoes want sun, a large pot and water at the roots rather than on the leaves. Pinch out side shoots so that " +
    "the plant spends its strength on fruit. Feed it every week once the first fruit shows. A roof against rain keeps " +
    "blight away.",
  ],
  [
    "history/printing",
    "The press that changed Europe",
    "Clara Weiss",
    "2022-09-15",
    "Around 1450 movable metal type made books cheap enough for towns. Within fifty years presses worked in more than " +
    "two hundred cities. Pamphlets carried arguments faster than any government could answer them. Spelling began to " +
    "settle because printers wanted it settled.",
  ],
  [
    "history/longitude",
    "Clocks at sea: the longitude problem",
    "Clara Weiss",
    "2023-02-20",
    "A sailor finds latitude from the sun, but longitude needs the time at home. Pendulum clocks failed on a rolling " +
    "ship. In the eighteenth century a carpenter built watches that lost only seconds on an ocean voyage. Maps of " +
    "whole coasts had to be drawn again.",
  ],
  [
    "history/canals",
    "When goods moved by canal",
    "Edmund Fry",
    "2024-12-01",
    "One horse could draw thirty tons on a canal and barely one on a road. Canals joined mines, mills and ports long " +
    "before railways did. Locks lifted boats over hills step by step. Many canals now carry holiday boats and herons.",
  ],
  [
    "travel/night-trains",
    "Night trains are coming back",
    "Lena Hoff",
    "2026-03-08",
    "A night train saves a hotel and a day. New sleeping cars have small cabins with doors that lock. Tickets sell out " +
    "weeks ahead in summer. Compared with a flight, the journey causes a small part of the emissions.",
  ],
  [
    "travel/packing",
    "Packing for a week in one small bag",
    "Aron Pike",
    "2025-07-22",
    "Lay out everything and put half of it back. Three shirts that dry overnight are enough for a week. Wear the " +
    "heaviest shoes on the journey. A light bag makes every connection and every staircase easier.",
  ],
  [
    "health/sleep",
    "What happens while we sleep",
    "Ruth Adeyo",
    "2025-10-10",
    "Sleep comes in cycles of about ninety minutes. Deep sleep repairs the body, and dreams help to sort memories. " +
    "Light in the evening delays the clock in the brain. A cool, dark room and a steady hour for bed help more than " +
    "most remedies.",
  ],
  [
    "health/running",
    "Starting to run without getting hurt",
    "Aron Pike",
    "2026-05-17",
    "Begin with more walking than running and add a little each week. Tendons adapt more slowly than muscles and lungs. " +
    "Most runs should be slow enough for a conversation. Rest days are part of training.",
  ],
  [
    "money/compound-interest",
    "Compound interest, slowly explained",
    "Edmund Fry",
    "2024-01-30",
    "Interest that is added to a sum earns interest itself. At seven per cent a sum doubles in about ten years. Fees " +
    "compound in the same way and in the other direction. Starting early matters more than saving much.",
  ],
  [
    "money/budget",
    "A budget that survives the month",
    "Lena Hoff",
    "2026-08-04",
    "Write down what was spent before planning what to spend. Set a limit per day, because a month is too long to feel. " +
    "Put money aside for bills on the day it arrives. A budget that is never changed is not being used.",
  ],
  [
    "events/hackathon",
    "How to run a hackathon for students",
    "Mina Castell",
    "2026-09-21",
    "A hackathon gives students a weekend to build something and show it. Choose a venue with good network, many " +
    "sockets and quiet corners. Ask sponsors for food before asking for prizes. End with short demonstrations in which " +
    "everyone gets applause.",
  ],
  [
    "events/game-jam",
    "Your first game jam",
    "Tomas Vell",
    "2026-10-02",
    "In a game jam a small team makes a game in two days. Start with one mechanic and make it feel good before drawing " +
    "anything. Keep the scope so small that it seems silly. A finished tiny game teaches more than an unfinished large one.",
  ],
  [
    "art/woodcut",
    "Cutting a picture into wood",
    "Clara Weiss",
    "2023-04-14",
    "In a woodcut the lines that stay standing take the ink. Cut away from the hand, along the grain first and across " +
    "it later. Ink is rolled on thin and paper is pressed with the back of a spoon. Each colour needs a block of its own.",
  ],
];

/** Every page, in the order in which they answer a question that fits none. */
export const PAGES: readonly Page[] = ENTRIES.map(([path, title, author, day, text]) => ({
  url: `https://sandbox.example/${path}`,
  title,
  author,
  publishedDate: `${day}T00:00:00.000Z`,
  text,
}));
