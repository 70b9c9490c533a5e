/** What a list prints with --json: one JSON object a line. */
// biome-ignore lint/suspicious/noExplicitAny: what a line holds is what a test is about to find out
export const jsonLines = (out: string): ReadonlyArray<any> =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
