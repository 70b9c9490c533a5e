import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Source } from './imports.ts'
import { ROOT } from './root.ts'

/** All source files of a folder and its subfolders. */
export const sourcesIn = (folder: string): ReadonlyArray<Source> =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      path: [folder, ...name.split(sep)].join('/'),
      text: readFileSync(join(ROOT, folder, name), 'utf8'),
    }))

/** The sources that run in production, one list per folder. */
export const SOURCES: ReadonlyArray<ReadonlyArray<Source>> = ['domain', 'application', 'adapters'].map(
  sourcesIn,
)
