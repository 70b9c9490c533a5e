import type { Identifier } from './dependencies.ts'
import type { Module } from './provide.ts'

/**
 * The container reports a cycle too, but its message names none of the dependencies.
 *
 * @param modules a later one replaces an earlier one of the same dependency
 * @throws Error with one sentence for operators if a dependency needs itself, directly or through others
 */
export const refuseCycles = (modules: ReadonlyArray<Module>): void => {
  const needsOf = new Map(modules.map(({ what, needs }) => [what, needs]))
  const checked = new Set<Identifier<unknown>>()
  const check = (what: Identifier<unknown>, above: ReadonlyArray<Identifier<unknown>>): void => {
    if (above.includes(what)) throw cycleOf([...above.slice(above.indexOf(what)), what])
    if (checked.has(what)) return
    for (const need of needsOf.get(what) ?? []) check(need, [...above, what])
    checked.add(what)
  }
  for (const what of needsOf.keys()) check(what, [])
}

const cycleOf = (cycle: ReadonlyArray<Identifier<unknown>>): Error =>
  new Error(
    `${cycle.map(({ name }) => `Dependency.${name}`).join(' needs ')}: no dependency can need itself. To wrap a standard adapter, make it in the same function, for example with openStorage or scryptPasswordHasher.`,
  )
