/** stub */ export function buildFeed(_a: unknown, _b: unknown): string { return "<rss/>"; }
