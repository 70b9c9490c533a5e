import 'reflect-metadata'
import { Container, ContainerModule } from 'inversify'
import type { Identifier } from './dependencies.ts'

/** Binds one dependency. A later module replaces an earlier one. */
export type Module = Readonly<{
  what: Identifier<unknown>
  needs: ReadonlyArray<Identifier<unknown>>
  binding: ContainerModule
}>

type Make<T, Needs> = (needs: Needs) => T | Promise<T>
type Named<Needs> = { [Name in keyof Needs]: Identifier<Needs[Name]> }

/**
 * A module that binds one dependency.
 *
 * @param needs the dependencies that `make` receives, by the names it gives them
 * @param make is called at most once, when the dependency is first needed
 *
 * @example provide(Dependency.clock, () => () => 0)
 * @example provide(Dependency.failureCounts, { clock: Dependency.clock }, ({ clock }) => memoryFailureCounts(clock))
 */
// `NoInfer`: what is made has all that the identifier asks for. Otherwise a use case could be forgotten silently.
export function provide<T>(what: Identifier<T>, make: () => NoInfer<T> | Promise<NoInfer<T>>): Module
export function provide<T, Needs extends object>(
  what: Identifier<T>,
  needs: Named<Needs>,
  make: Make<NoInfer<T>, Needs>,
): Module
export function provide<T>(
  what: Identifier<T>,
  ...rest: [() => T | Promise<T>] | [Readonly<Record<string, Identifier<unknown>>>, Make<T, never>]
): Module {
  const [needs, make] = rest.length === 1 ? [{}, rest[0]] : rest
  const names = Object.keys(needs)
  const binding = new ContainerModule(({ bind, isBound, rebind }) => {
    const bound = isBound(what) ? rebind<T>(what) : bind<T>(what)
    bound
      .toResolvedValue<Array<unknown>>(
        (...values) => make(Object.fromEntries(names.map((name, at) => [name, values[at]])) as never),
        Object.values(needs),
      )
      .inSingletonScope()
  })
  return { what, needs: Object.values(needs), binding }
}

/** Puts something around a dependency, also around one that a module has replaced. */
export const wrap = <T, Needs extends object>(
  what: Identifier<T>,
  needs: Named<Needs>,
  around: (inner: T, needs: Needs) => T,
): ContainerModule =>
  new ContainerModule(({ onActivation }) =>
    onActivation<T>(what, async (context, inner) => {
      const needed = Object.entries<Identifier<unknown>>(needs).map(
        async ([name, identifier]) => [name, await context.getAsync(identifier)] as const,
      )
      return around(inner, Object.fromEntries(await Promise.all(needed)) as Needs)
    }),
  )

/**
 * Makes a dependency and all that it needs, each once.
 *
 * @param modules a later one replaces an earlier one of the same dependency
 * @param first is made before everything else: if it fails, nothing is open
 * @throws Error with one sentence for operators if a dependency needs itself, directly or through others
 */
export const make = async <T>(
  what: Identifier<T>,
  modules: ReadonlyArray<Module>,
  {
    first,
    wrappings = [],
  }: Readonly<{ first: Identifier<unknown>; wrappings?: ReadonlyArray<ContainerModule> }>,
): Promise<T> => {
  refuseCycles(modules)
  const container = new Container()
  container.load(...modules.map(({ binding }) => binding), ...wrappings)
  await container.getAsync(first)
  return container.getAsync(what)
}

/** The container reports a cycle too, but its message names none of the dependencies. */
const refuseCycles = (modules: ReadonlyArray<Module>): void => {
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
