import type { Clock, Random } from '../../application/ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../../application/ports/password-hasher.ts'
import { plainHasher } from '../support/plain-hasher.ts'

/** Working stand-ins for what is slow, random or tells the time. */

export type SettableClock = { read: Clock; passSeconds: (seconds: number) => void }

export const settableClock = (start: string): SettableClock => {
  let now = Date.parse(start)
  return {
    read: () => now,
    passSeconds: (seconds) => {
      now += seconds * 1000
    },
  }
}

/** Ids and bytes that count up: …0001, …0002. */
export const countingRandom = (): Random => {
  let count = 0
  return {
    uuid: () => {
      count += 1
      return uuid(count)
    },
    bytes: (length) => {
      count += 1
      return Uint8Array.from({ length }, (_, index) => (count * 31 + index) % 256)
    },
  }
}

export const uuid = (count: number): string =>
  `00000000-0000-7000-8000-${count.toString(16).padStart(12, '0')}`

/** A hasher that refuses from the moment it is told to. */
export const refusingHasher = (refusal: HashingRefused): PasswordHasher & { refusing: boolean } => {
  const hasher: PasswordHasher & { refusing: boolean } = {
    ...plainHasher(async () => (hasher.refusing ? refusal : undefined)),
    refusing: false,
  }
  return hasher
}

/**
 * A hasher that can be stopped after it has checked a password and before it says so, as one whose answer comes
 * late.
 */
export const pausingHasher = () => {
  const inner = plainHasher()
  let gate: { reached: () => void; opened: Promise<void> } | undefined

  const hasher: PasswordHasher = {
    ...inner,
    verify: (password, record, request) => async () => {
      const answer = await inner.verify(password, record, request)()
      const pause = gate
      gate = undefined
      pause?.reached()
      await pause?.opened
      return answer
    },
  }

  /** Stops the next check. `reached` resolves when it has been made, and `resume` lets its answer out. */
  const pauseNext = () => {
    let reach = () => {}
    let resume = () => {}
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const opened = new Promise<void>((resolve) => {
      resume = resolve
    })
    gate = { reached: reach, opened }
    return { reached, resume }
  }

  return { hasher, pauseNext }
}
