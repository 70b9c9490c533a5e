import { left } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** A defect: the methods that replace the correct ones. */
export type Mutate<Adapter> = (good: Adapter) => Partial<Adapter>

// biome-ignore lint/suspicious/noExplicitAny: a method of any adapter
type Method = (...asked: Array<any>) => TE.TaskEither<any, any>
type Asked<M> = M extends (...asked: infer A) => unknown ? A : never
export type Answer<M> = M extends (...asked: never) => TE.TaskEither<unknown, infer A> ? A : never

/** Mutations of one method of an adapter: of its arguments or of its successful result. */
export const mutationsOf = <Adapter>() => ({
  hear:
    <M extends keyof Adapter>(
      method: M,
      alter: (...asked: Asked<Adapter[M]>) => Asked<Adapter[M]>,
    ): Mutate<Adapter> =>
    (good) =>
      only(method, (...asked) => (good[method] as Method)(...alter(...(asked as Asked<Adapter[M]>)))),
  answer:
    <M extends keyof Adapter>(
      method: M,
      alter: (answer: Answer<Adapter[M]>, ...asked: Asked<Adapter[M]>) => Answer<Adapter[M]>,
    ): Mutate<Adapter> =>
    (good) =>
      only(method, (...asked) => async () => {
        const outcome = await (good[method] as Method)(...asked)()
        return outcome._tag === 'Left'
          ? outcome
          : { ...outcome, right: alter(outcome.right, ...(asked as Asked<Adapter[M]>)) }
      }),
})

const only = <Adapter>(method: keyof Adapter, broken: Method): Partial<Adapter> =>
  ({ [method]: broken }) as unknown as Partial<Adapter>

/** Combines several mutations. */
export const all =
  <Adapter>(...mutates: ReadonlyArray<Mutate<Adapter>>): Mutate<Adapter> =>
  (good) =>
    Object.assign({}, ...mutates.map((mutate) => mutate(good)))

/** A turn of the event loop, in which other work can run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A method that starts a turn of the event loop late. */
export const late =
  <Adapter>(method: keyof Adapter): Mutate<Adapter> =>
  (good) =>
    only(method, (...asked) => async () => {
      await turn()
      return (good[method] as Method)(...asked)()
    })

/** A method that answers all concurrent calls with the arguments of the last one. */
export const mixedUp =
  <Adapter>(method: keyof Adapter): Mutate<Adapter> =>
  (good) => {
    let last: Array<unknown> = []
    return only(method, (...asked) => async () => {
      last = asked
      await turn()
      return (good[method] as Method)(...last)()
    })
  }

/** A method that works when called, not when its task is run. */
export const eager =
  <Adapter>(method: keyof Adapter): Mutate<Adapter> =>
  (good) =>
    only(method, (...asked) => {
      const running = (good[method] as Method)(...asked)()
      return () => running
    })

/** Runs one job after the other, like a lock within one process. */
export const oneAfterTheOther = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <A>(job: () => Promise<A>): Promise<A> => {
    const next = last.then(job)
    last = next
    return next
  }
}

export type Closable = Readonly<{ close: Task<void> }>

export const closesOnce = <Adapter extends Closable>({ close }: Adapter): Closable => {
  let isClosed = false
  return {
    close: async () => {
      if (isClosed) throw new Error('closed already')
      isClosed = true
      await close()
    },
  }
}

export const closesLate = <Adapter extends Closable>({ close }: Adapter): Closable => ({
  close: async () => {
    await turn()
    await close()
  },
})

const mapMethods = <Adapter extends Closable>(
  good: Adapter,
  make: (name: keyof Adapter) => Method,
): Adapter =>
  ({
    ...Object.fromEntries(Object.keys(good).map((name) => [name, make(name as keyof Adapter)])),
    close: good.close,
  }) as unknown as Adapter

/** An adapter of these methods that gives one response to every call. */
export const always = <Adapter extends Closable>(good: Adapter, say: Method): Adapter => ({
  ...mapMethods(good, () => say),
  close: async () => {},
})

/** The ways to give no valid response. */
export const NO_ANSWERS: Readonly<Record<string, Method>> = {
  'rejects what it is asked': () => () => Promise.reject(new Error('away')),
  'throws at its caller': () => {
    throw new Error('away')
  },
  'gives no reason': () => TE.left({ _tag: 'StoreUnavailable', reason: '' }),
}

export const UNAVAILABLE = { _tag: 'StoreUnavailable', reason: 'it is away' } as const

/** An adapter that passes each call to the current one when its task is run. */
export const through = <Adapter extends Closable>(good: Adapter, current: () => Adapter): Adapter =>
  mapMethods(
    good,
    (name) =>
      (...asked) =>
      () =>
        (current()[name] as Method)(...asked)(),
  )

/** An adapter that becomes another one when it is closed. */
export const endingAs = <Adapter extends Closable>(good: Adapter, afterwards: Adapter): Adapter => {
  let current = good
  return {
    ...through(good, () => current),
    close: async () => {
      current = afterwards
      await afterwards.close()
    },
  }
}

/** A mutation of the handles on one adapter. `life` counts them from 1. */
export type MutateHandles<Adapter> = (core: Adapter) => (handle: Adapter, life: number) => Partial<Adapter>

/** Opens handles on one adapter, which outlives them. */
export const handlesOn = <Adapter extends Closable>(
  core: Adapter,
  mutate: MutateHandles<Adapter> = () => () => ({}),
): (() => Adapter) => {
  const broken = mutate(core)
  let life = 0
  return () => {
    life += 1
    const handle = endingAs(
      core,
      always(core, () => async () => left({ ...UNAVAILABLE, reason: 'the handle is closed' })),
    )
    return { ...handle, ...broken(handle, life) }
  }
}
