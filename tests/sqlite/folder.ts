import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A test with its own folder, which is removed afterwards. */
export const inFolder = (test: (folder: string) => Promise<void>) => async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-sqlite-'))
  try {
    await test(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The same for one database file, which does not exist yet. */
export const onFile = (test: (path: string) => Promise<void>): (() => Promise<void>) =>
  inFolder((folder) => test(join(folder, 'store.db')))
