/** What test files share that run in parallel: a process hands it to those that it starts. */
export type Shared = Readonly<{
  postgres: Readonly<{ port: number }> | Readonly<{ missing: string }>
  /** Where a browser listens, if there is one. */
  browser?: string
}>

const VARIABLE = 'PORTCULLIS_TESTS_SHARE'

export const share = (what: Shared): void => {
  process.env[VARIABLE] = JSON.stringify(what)
}

/** Nothing where files run one after the other: then what they need starts with the first one that needs it. */
export const shared = (): Shared | undefined => {
  const said = process.env[VARIABLE]
  return said === undefined ? undefined : JSON.parse(said)
}
