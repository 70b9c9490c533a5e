import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'

/** Copies what git would include from the working folder, committed or not: no packages, builds, stores or secrets. */
export const copyCheckout = (from: string, to: string): void => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: from,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const path of listed.split('\0')) {
    if (path !== '' && existsSync(join(from, path))) cpSync(join(from, path), join(to, path)) // git also lists removed files
  }
}
