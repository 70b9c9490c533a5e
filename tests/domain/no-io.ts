/**
 * Takes the clock and the randomness away while the tests of a `describe` run: a domain function that reaches for
 * one of them fails its test. (That it cannot reach for anything else is what its tsconfig sees to.)
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

/** Properties take their seed from here: without one fast-check would ask the clock. */
export const SEED = 20261

const forbidden = (what: string) => (): never => {
  throw new Error(`the domain asked for ${what}`)
}
