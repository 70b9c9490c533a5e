import type { Runner } from './runner.ts'

/** Registers a case: a sentence, and what it takes to be true for what the case is given. */
export type CaseOf<Given extends ReadonlyArray<unknown>> = (
  name: string,
  body: (...given: Given) => Promise<void>,
) => void

type Close = () => Promise<void>
type Closable = Readonly<{ close: Close }>

/** An adapter that was opened for one case, and what cleans up after it. */
type Opened<Adapter> = Readonly<{ adapter: Adapter; close?: Close }>

/** Cases that each have an adapter of their own. `end` closes the adapter itself, if it can be closed. */
export const casesOn =
  <Adapter>(
    { it }: Runner,
    open: () => Promise<Opened<Adapter>>,
    end: (adapter: Adapter) => Promise<void> = async () => {},
  ): CaseOf<[adapter: Adapter]> =>
  (name, body) => {
    it(name, async () => {
      const { adapter, close } = await open()
      try {
        await body(adapter)
      } finally {
        await end(adapter)
        await close?.()
      }
    })
  }

/** Names an opened store as these helpers do. */
export const storeOf =
  <Store, More>(open: () => Promise<More & Readonly<{ store: Store }>>) =>
  async () => {
    const opened = await open()
    return { ...opened, adapter: opened.store }
  }

/** Cases that each have a store of their own. */
export const casesOnStore = <Store extends Closable>(
  runner: Runner,
  open: () => Promise<Readonly<{ store: Store; close?: Close }>>,
): CaseOf<[store: Store]> => casesOn(runner, storeOf(open), (store) => store.close())

/** Cases that can close what is open and open it again. */
export const casesOnLasting =
  <Adapter extends Closable>(
    { it }: Runner,
    open: () => Promise<Opened<Adapter> & Readonly<{ reopen: () => Promise<Adapter> }>>,
  ): CaseOf<[adapter: Adapter, again: () => Promise<Adapter>]> =>
  (name, body) => {
    it(name, async () => {
      const { adapter, reopen, close } = await open()
      let current = adapter
      try {
        await body(adapter, async () => {
          await current.close()
          current = await reopen()
          return current
        })
      } finally {
        await current.close()
        await close?.()
      }
    })
  }

/** Cases that have three handles on the same thing. */
export const casesOnShared =
  <Adapter extends Closable>(
    { it }: Runner,
    open: () => Promise<Opened<Adapter> & Readonly<{ another: () => Promise<Adapter> }>>,
  ): CaseOf<[one: Adapter, other: Adapter, third: Adapter]> =>
  (name, body) => {
    it(name, async () => {
      const { adapter, another, close } = await open()
      const handles = [adapter]
      try {
        const [other, third] = [await another(), await another()]
        handles.push(other, third)
        await body(adapter, other, third)
      } finally {
        for (const handle of handles) await handle.close()
        await close?.()
      }
    })
  }
