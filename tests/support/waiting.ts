/** A gate that stays shut until it is opened: whoever comes before that waits, whoever comes after does not. */
export type Gate = Readonly<{
  pass: () => Promise<undefined>
  /** Resolves once as many as the gate was made for have come. */
  reached: Promise<undefined>
  open: () => void
}>

/** @param parties how many have to come before `reached` */
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

/** A gate that opens by itself once so many have come. */
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
