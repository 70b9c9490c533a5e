import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Copies a folder with hard links where possible, so these files must not be written to. */
export const linkedCopy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  if (spawnSync('cp', ['-RPl', from, to]).status !== 0)
    cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
