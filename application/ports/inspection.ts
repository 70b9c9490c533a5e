/**
 * One thing that was looked at for an operator. `detail` is a sentence: how it is or, when it is not ok, what to do.
 *
 * The testkit has no contract for this type: a finding promises nothing that a program relies on.
 */
export type Finding = Readonly<{ name: string; ok: boolean; detail: string }>
