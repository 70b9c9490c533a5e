import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
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

/** Where the build makes the package of the client. */
export const CLIENT = join(ROOT, 'dist', 'adapters', 'client')

/** Packs a package of the current build without npm’s scripts, which would rebuild during the tests. */
export const pack = (place = ROOT): Packed => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-packed-'))
  const printed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder],
    { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [{ filename, files }]: [{ filename: string; files: ReadonlyArray<{ path: string }> }] =
    JSON.parse(printed)
  return {
    tarball: join(folder, filename),
    paths: files.map(({ path }) => path),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Lays the files of a tarball where npm would, without asking a registry. */
export const unpackInto = (project: string, name: string, tarball: string): void => {
  const place = join(project, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', place, '--strip-components=1'])
}

/** Installs `portcullis-client` into a project. */
export const installClient = (project: string): void => {
  const packed = pack(CLIENT)
  unpackInto(project, 'portcullis-client', packed.tarball)
  packed.remove()
}
