import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { ROOT } from '../architecture/root.ts'
import { type Locked, nameAt, packagesOf, readLock } from '../supply-chain/lock.ts'

/** A package of ours: where it lies below node_modules, and what the lock says of it. */
type Held = Readonly<{ path: string; locked: Locked }>

const lock = readLock()

/** What goes by a name, first of all what does so in this project. */
const heldOf = (wanted: string): ReadonlyArray<Held> =>
  packagesOf(lock)
    .filter(([path, locked]) => nameAt(path, locked) === wanted)
    .map(([path, locked]) => ({ path, locked }))
    .sort((one, other) => one.path.length - other.path.length)

/**
 * A registry on this machine that has what is installed here and nothing else, so that `npm install` takes the way it takes
 * anywhere, without a network: each package in the very version that the tests run on, with what its install script has made.
 */
export const startRegistry = async (): Promise<Readonly<{ url: string; stop: () => Promise<void> }>> => {
  const server = createServer((request, response) => {
    const [name = '', place] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/')
    const held = heldOf(name)
    if (held.length === 0) response.writeHead(404).end('{}')
    else if (place === undefined) response.end(JSON.stringify(aboutOf(name, held, url)))
    else sendTarball(held, place, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What npm wants to know of a package before it takes it. Of one for another platform there is no more than the lock knows. */
const aboutOf = (name: string, held: ReadonlyArray<Held>, url: string): object => {
  const versions = held.map(({ path, locked }) => {
    const manifest = join(ROOT, path, 'package.json')
    const said = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : locked
    return [
      locked.version,
      { ...said, name, version: locked.version, dist: { tarball: `${url}/${name}/-/${locked.version}` } },
    ] as const
  })
  return { name, 'dist-tags': { latest: versions[0]?.[0] }, versions: Object.fromEntries(versions) }
}

/** Left out: packages below this one, which are theirs to ask for, and what compiling left behind, to which npm takes no link. */
const LEFT_OUT = ['node_modules', 'build/Release/obj.target']

const sendTarball = (held: ReadonlyArray<Held>, version: string, response: ServerResponse): void => {
  const path = held.find(({ locked }) => locked.version === version)?.path
  if (path === undefined) {
    response.writeHead(404).end()
    return
  }
  const [parent, folder] = [dirname(path), basename(path)]
  const exclusions = LEFT_OUT.map((name) => `--exclude=${folder}/${name}`)
  spawn('tar', ['-cf', '-', '-C', parent, ...exclusions, folder], { cwd: ROOT }).stdout.pipe(response)
}
