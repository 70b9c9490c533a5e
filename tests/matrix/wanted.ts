/** The arguments of `make test-matrix`. */
export type Wanted = Readonly<{
  _tag: 'Wanted'
  /** Major versions (the newest release is used) or more of a version: 22, 22.19, 22.19.0. */
  nodes: ReadonlyArray<string>
  /** Whether to run the fault tests as well. */
  faults: boolean
}>

/** Every supported major version of Node.js, oldest first. */
export const SUPPORTED: ReadonlyArray<string> = ['20', '22', '24', '26']

/** @param words versions of Node.js, and optionally `--faults` */
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
