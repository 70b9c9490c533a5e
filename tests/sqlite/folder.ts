import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A test that gets a folder of its own, which is gone afterwards. */
export const inFolder = (test: (folder: string) => Promise<void>) => async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-sqlite-'))
  try {
    await test(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The same, for a test of one database file, which is not there yet. */
export const onFile = (test: (path: string) => Promise<void>): (() => Promise<void>) =>
  inFolder((folder) => test(join(folder, 'store.db')))
