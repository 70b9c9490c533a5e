/**
 * The result of one check for an operator. `detail` is a sentence: the state or, if `ok` is false, what to do.
 *
 * The testkit has no contract for this type, because no program relies on a finding.
 */
export type Finding = Readonly<{ name: string; ok: boolean; detail: string }>
