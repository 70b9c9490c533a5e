import assert from 'node:assert/strict'
import type { Announcements } from '../../application/ports/announcements.ts'
import type { Runner } from './runner.ts'
import { awaited, settled } from './waiting.ts'

/**
 * Opens a new place for announcements. `listen` opens a listener there, in some cases several times. `announce` tells all listeners that
 * keys have changed. The suite calls `close` at the end of a case, after it has closed all listeners.
 */
export type OpenAnnouncements = () => Promise<OpenedAnnouncements>
export type OpenedAnnouncements = Readonly<{
  listen: () => Promise<Announcements>
  announce: () => Promise<void>
  close?: () => Promise<void>
}>

/**
 * The contract suite of `Announcements` without disturbances. With disturbances, a hint may come late, twice or never.
 *
 * @param open is called once for each case
 */
export const announcementsContract = ({ it }: Runner, open: OpenAnnouncements): void => {
  const check = (name: string, body: (place: Omit<OpenedAnnouncements, 'close'>) => Promise<void>) =>
    it(name, async () => {
      const { listen, announce, close } = await open()
      const opened: Array<Announcements> = []
      try {
        await body({
          announce,
          listen: async () => {
            const announcements = await listen()
            opened.push(announcements)
            return announcements
          },
        })
      } finally {
        for (const announcements of opened) await announcements.close()
        await close?.()
      }
    })

  check('tells a listener each time', async ({ listen, announce }) => {
    const ear = earOf(await listen())
    for (let time = 0; time < 3; time += 1) await heardAgain(ear, announce)
  })

  check('tells every listener', async ({ listen, announce }) => {
    const announcements = await listen()
    const ears = [earOf(announcements), earOf(announcements), earOf(await listen())]
    await Promise.all(ears.map((ear) => heardAgain(ear, announce)))
  })

  check('tells nothing after its end', async ({ listen, announce }) => {
    const [ended, witness] = [await listen(), await listen()]
    const [ear, witnessEar] = [earOf(ended), earOf(witness)]
    await heardAgain(ear, announce)
    await ended.close()
    const before = ear.times()
    const late = earOf(ended)
    await heardAgain(witnessEar, announce)
    await settled()
    assert.deepEqual([ear.times(), late.times()], [before, 0])
  })

  check('may be ended twice, and before it has told anything', async ({ listen }) => {
    const announcements = await listen()
    await announcements.close()
    await announcements.close()
  })
}

type Ear = Readonly<{ times: () => number; next: () => Promise<void> }>

const earOf = (announcements: Announcements): Ear => {
  let times = 0
  let waiting: ReadonlyArray<() => void> = []
  announcements.onKeysChanged(() => {
    times += 1
    for (const wake of waiting) wake()
    waiting = []
  })
  return {
    times: () => times,
    next: () =>
      new Promise((resolve) => {
        waiting = [...waiting, resolve]
      }),
  }
}

/** Announces until it is heard: a hint of before may come late, and listening takes a while to begin. */
const heardAgain = async ({ next }: Ear, announce: () => Promise<void>): Promise<void> => {
  const heard = next()
  await announce()
  await awaited(heard)
}
