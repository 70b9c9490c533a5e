import 'reflect-metadata'
import { ContainerModule } from 'inversify'
import type { Identifier } from './dependencies.ts'

/** Binds one dependency. A later module replaces an earlier one. */
export type Module = Readonly<{
  what: Identifier<unknown>
  needs: ReadonlyArray<Identifier<unknown>>
  binding: ContainerModule
}>

type Make<T, Needs> = (needs: Needs) => T | Promise<T>

/**
 * A module that binds one dependency.
 *
 * @param needs the dependencies that `make` receives, by the names it gives them
 * @param make is called at most once, when the dependency is first needed
 *
 * @example provide(Dependency.clock, () => () => 0)
 * @example provide(Dependency.signOut, { store: Dependency.store, clock: Dependency.clock }, signOut)
 */
export function provide<T>(what: Identifier<T>, make: () => T | Promise<T>): Module
export function provide<T, Needs extends object>(
  what: Identifier<T>,
  needs: { [Name in keyof Needs]: Identifier<Needs[Name]> },
  make: Make<T, Needs>,
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
