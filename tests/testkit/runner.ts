/** The functions of a test runner. Those of mocha, node:test, vitest and jest fit. */
export type Runner = Readonly<{ describe: (name: string, body: () => void) => unknown; it: It }>

type Case = (name: string, body: () => Promise<void>) => unknown

/** With `skip`, a suite also reports which capabilities it does not test. */
type It = Case & Readonly<{ skip?: Case }>

/** Registers the cases of a declared capability. Otherwise one skipped case says that they do not run. */
export const ifDeclared = <Capability>(
  { it }: Runner,
  name: string,
  capability: Capability | undefined,
  cases: (capability: Capability) => void,
): void => {
  if (capability !== undefined) cases(capability)
  else it.skip?.(`${name} is not declared, so its cases do not run`, async () => {})
}
