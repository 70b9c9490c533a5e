/** The functions of a test runner. Those of mocha, node:test, vitest and jest fit. */
export type Runner = Readonly<{
  describe: (name: string, body: () => void) => unknown
  it: (name: string, body: () => Promise<void>) => unknown
}>
