import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

export type Packed = Readonly<{
  /** The tarball for publishing, in its own folder. */
  tarball: string
  /** The paths of its files from the package’s root. */
  paths: ReadonlyArray<string>
  remove: () => void
}>

/** Packs the current build without npm’s scripts, which would rebuild during the tests. */
export const pack = (): Packed => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-packed-'))
  const printed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder],
    { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [{ filename, files }]: [{ filename: string; files: ReadonlyArray<{ path: string }> }] =
    JSON.parse(printed)
  return {
    tarball: join(folder, filename),
    paths: files.map(({ path }) => path),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
