/**
 * Disables the clock and the randomness during the tests of a `describe`, so that a domain function that uses them fails its
 * test. The domain's tsconfig excludes every other kind of I/O.
 */
export const withoutIo = (): void => {
  const real = { Date: globalThis.Date, random: Math.random }

  before(() => {
    globalThis.Date = new Proxy(real.Date, {
      apply: forbidden('Date()'),
      construct: forbidden('new Date'),
      get: (date, property, receiver) =>
        property === 'now' ? forbidden('Date.now') : Reflect.get(date, property, receiver),
    })
    Math.random = forbidden('Math.random')
  })

  after(() => {
    globalThis.Date = real.Date
    Math.random = real.random
  })
}

/** The seed of property tests. Without one fast-check would use the clock. */
export const SEED = 20261

const forbidden = (what: string) => (): never => {
  throw new Error(`the domain asked for ${what}`)
}
