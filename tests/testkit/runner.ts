/** What a test runner has; those of mocha, node:test, vitest and jest fit. */
export type Runner = Readonly<{
  describe: (name: string, body: () => void) => unknown
  it: (name: string, body: () => Promise<void>) => unknown
}>
