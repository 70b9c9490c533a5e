import { isLeft } from 'fp-ts/lib/Either.js'
import type { ServerNote, ServerNotes } from '../../application/ports/server-notes.ts'
import { notedSettings } from '../config/noted-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { Composition } from './composition.ts'

/** What a server notes of its settings, and a command compares with them. */
export const notedBy = ({ parts }: Composition, settings: Settings): Readonly<Record<string, string>> => ({
  ...notedSettings(settings),
  '--with': parts === undefined ? 'not given' : 'given',
})

/**
 * Notes a server in its store at once, and then once a minute as a sign of life.
 *
 * @param process `every` repeats work until its result is called; `onFailure` is told of the first failure only
 * @returns what removes the note; it resolves after every write before it, and never rejects
 */
export const noteServer = async (
  notes: ServerNotes,
  note: Omit<ServerNote, 'startedAt' | 'seenAt'>,
  { now, every, onFailure }: NotingProcess,
): Promise<() => Promise<void>> => {
  const startedAt = now()
  let hasFailed = false
  const write = async (): Promise<void> => {
    const written = await notes.write({ ...note, startedAt, seenAt: now() })()
    if (!isLeft(written) || hasFailed) return
    hasFailed = true
    onFailure(written.left.reason)
  }
  let lastWrite = write()
  const stop = every(SIGN_OF_LIFE_MS, () => {
    lastWrite = lastWrite.then(write)
  })
  await lastWrite
  return async () => {
    stop()
    await lastWrite
    await notes.remove(note.id)()
  }
}

type NotingProcess = Readonly<{
  now: () => number
  every: (milliseconds: number, work: () => void) => () => void
  onFailure: (reason: string) => void
}>

/** A timer of this process that does not keep it alive. */
export const everyMs: NotingProcess['every'] = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds).unref()
  return () => clearInterval(timer)
}

const SIGN_OF_LIFE_MS = 60_000

/** A server without a sign of life for this long counts as stopped. */
export const RUNNING_WITHIN_MS = 3 * SIGN_OF_LIFE_MS
