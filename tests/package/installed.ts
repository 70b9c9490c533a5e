import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'
import { needsOf, placeOf, production, readLock } from '../supply-chain/lock.ts'
import { linkedCopy } from '../support/linked-copy.ts'
import { unpackInto } from './packed.ts'

/** `npm install WORDS`, as in docs/adapters.md. */
const INSTALL = /^npm install (?:--save-dev )?(.*)$/gm

/**
 * Installs the package of a tarball and the named packages, with their dependencies, into a folder like `npm install`.
 * Copies the packages of the tests instead of asking a registry. npm links the commands.
 *
 * @param commands shell lines that install packages and one tarball
 */
export const layOut = (commands: string, tarball: string, folder: string): void => {
  const lock = readLock()
  const words = [...commands.matchAll(INSTALL)].flatMap(([, found = '']) => found.split(' '))
  const names = words.filter((word) => !word.endsWith('.tgz'))
  const places = new Set(production(lock).slice(1))
  for (const name of names) places.add(placeOf(lock, '', name) ?? `nothing is locked by the name ${name}`)
  for (const place of places) for (const needed of needsOf(lock, place)) places.add(needed)

  unpackInto(folder, 'portcullis', tarball)
  // A package precedes those in its own node_modules, of which only some may be needed.
  for (const place of [...places].sort()) {
    if (!existsSync(join(ROOT, place)) && lock.packages[place]?.optional) continue // for another platform
    linkedCopy(join(ROOT, place), join(folder, place))
    rmSync(join(folder, place, 'node_modules'), { recursive: true, force: true })
  }

  const version = ({ version = '' }: { version?: string } = {}) => version
  const npm = (...asked: ReadonlyArray<string>) =>
    execFileSync('npm', asked, { cwd: folder, stdio: 'pipe', env: { PATH: process.env.PATH, HOME: folder } })
  const versions = names.map((name) => `${name}=${version(lock.packages[`node_modules/${name}`])}`)
  npm(
    'pkg',
    'set',
    ...[`portcullis=${version(lock.packages[''])}`, ...versions].map((one) => `dependencies.${one}`),
  )
  npm('rebuild', '--ignore-scripts', '--offline')
}
