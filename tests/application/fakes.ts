import type { Clock, Random } from '../../application/ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../../application/ports/password-hasher.ts'
import { plainHasher } from '../support/plain-hasher.ts'

/** Working fakes for the hasher, randomness and the clock. */

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

/** A hasher that refuses while `refusing` is true. */
export const refusingHasher = (refusal: HashingRefused): PasswordHasher & { refusing: boolean } => {
  const hasher: PasswordHasher & { refusing: boolean } = {
    ...plainHasher(async () => (hasher.refusing ? refusal : undefined)),
    refusing: false,
  }
  return hasher
}

/** A hasher that can pause between a check and its answer. */
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

  /** Pauses after the next check. `reached` resolves when it is done, and `resume` releases its answer. */
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
