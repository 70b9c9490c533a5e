/** Resources that test files share in a parallel run: a process passes them to its child processes. */
export type Shared = Readonly<{
  postgres: Readonly<{ port: number }> | Readonly<{ missing: string }>
  /** The address of the browser, if there is one. */
  browser?: string
}>

const VARIABLE = 'PORTCULLIS_TESTS_SHARE'

export const share = (what: Shared): void => {
  process.env[VARIABLE] = JSON.stringify(what)
}

/** Empty if files run one after the other. Then the first test that needs a resource starts it. */
export const shared = (): Shared | undefined => {
  const said = process.env[VARIABLE]
  return said === undefined ? undefined : JSON.parse(said)
}
