/** What `make test-matrix` is asked for. */
export type Wanted = Readonly<{
  _tag: 'Wanted'
  /** Each a major version (its newest release is taken), or more of one: 22, 22.19, 22.19.0. */
  nodes: ReadonlyArray<string>
  /** Whether the tests in which the machine fails the service run as well. */
  faults: boolean
}>

/** Every line of Node that is supported, the oldest first. */
export const SUPPORTED: ReadonlyArray<string> = ['20', '22', '24', '26']

/** @param words versions of Node, and perhaps `--faults` */
export const wantedBy = (
  words: ReadonlyArray<string>,
): Wanted | Readonly<{ _tag: 'Refused'; why: string }> => {
  const nodes = [...new Set(words.filter((word) => word !== '--faults'))]
  const other = nodes.find((word) => !/^\d+(?:\.\d+){0,2}$/.test(word))
  if (other !== undefined)
    return {
      _tag: 'Refused',
      why: `${JSON.stringify(other)} is no version of Node: say for example NODES="22 26"`,
    }
  return { _tag: 'Wanted', nodes: nodes.length === 0 ? SUPPORTED : nodes, faults: words.includes('--faults') }
}
