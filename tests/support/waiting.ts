/** A gate that is closed until it is opened. Earlier callers wait, later callers do not. */
export type Gate = Readonly<{
  pass: () => Promise<undefined>
  /** Resolves once the expected number of callers has arrived. */
  reached: Promise<undefined>
  open: () => void
}>

/** @param parties the number of callers for `reached` */
export const gate = (parties = 1): Gate => {
  const opened = signal()
  const reached = signal()
  let come = 0
  return {
    pass: () => {
      come += 1
      if (come === parties) reached.give()
      return opened.given
    },
    reached: reached.given,
    open: opened.give,
  }
}

/** A gate that opens by itself once this many callers have arrived. */
export const barrier = (parties: number): Gate => {
  const shut = gate(parties)
  shut.reached.then(shut.open)
  return shut
}

const signal = () => {
  let give = (): void => undefined
  const given = new Promise<undefined>((resolve) => {
    give = () => resolve(undefined)
  })
  return { given, give: () => give() }
}
