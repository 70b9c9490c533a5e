import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Copies a folder by links to its files where the file system has them, so that nothing may be written into these files. */
export const linkedCopy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  if (spawnSync('cp', ['-RPl', from, to]).status !== 0)
    cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
