import { isLeft } from 'fp-ts/lib/Either.js'
import type { ServerNote, ServerNotes } from '../ports/server-notes.ts'

/** Notes this process in a store that keeps notes of servers. `remove` does nothing without a note. */
export const serverNoting = (
  notes: ServerNotes | undefined,
  { newId, ...process }: NotingProcess & Readonly<{ newId: () => string }>,
) => {
  let remove = async (): Promise<void> => {}
  return {
    note: async (note: Pick<ServerNote, 'name' | 'settings'>): Promise<void> => {
      if (notes !== undefined) remove = await noteServer(notes, { id: newId(), ...note }, process)
    },
    remove: () => remove(),
  }
}

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

const SIGN_OF_LIFE_MS = 60_000

/** A server without a sign of life for this long counts as stopped. */
export const RUNNING_WITHIN_MS = 3 * SIGN_OF_LIFE_MS
