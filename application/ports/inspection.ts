/** One thing that was looked at for an operator. `detail` is a sentence: how it is or, when it is not ok, what to do. */
export type Finding = Readonly<{ name: string; ok: boolean; detail: string }>
