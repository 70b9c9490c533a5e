/** The output of a list with --json: one JSON object per line. */
// biome-ignore lint/suspicious/noExplicitAny: what a line holds is what a test is about to find out
export const jsonLines = (out: string): ReadonlyArray<any> =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
