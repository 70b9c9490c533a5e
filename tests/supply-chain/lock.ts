import { readFileSync } from 'node:fs'

/** A package as package-lock.json has it (lockfileVersion 3). */
export type Locked = Readonly<{
  /** Only where it is not the name of its folder. */
  name?: string
  version: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  /** Nothing but development needs it. */
  dev?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  dependencies?: Readonly<Record<string, string>>
  devDependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
  peerDependencies?: Readonly<Record<string, string>>
}>

/** The project itself has the path ''. */
export type Lock = Readonly<{ lockfileVersion: number; packages: Readonly<Record<string, Locked>> }>

/** The tests run from the root of the project, whether compiled or not. */
export const readLock = (): Lock => JSON.parse(readFileSync('package-lock.json', 'utf8'))

/** Every package but the project itself, with its path. */
export const packagesOf = ({ packages }: Lock): ReadonlyArray<readonly [string, Locked]> =>
  Object.entries(packages).filter(([path]) => path !== '')

export const nameAt = (path: string, { name }: Locked): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Where Node finds the package that another one calls by this name: in its own folder or in one above it. */
export const placeOf = ({ packages }: Lock, from: string, name: string): string | undefined => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (place in packages) return place
    if (folder === '') return undefined
  }
}

/** The places of what a package needs to run. What is optional, and a peer, may not be there. */
export const needsOf = (lock: Lock, path: string): ReadonlyArray<string> => {
  const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path] ?? {}
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    .map((name) => placeOf(lock, path, name))
    .filter((place) => place !== undefined)
}

/** The paths of all that the project needs to run, the project itself first. */
export const production = (lock: Lock): ReadonlyArray<string> => {
  const reached = new Set([''])
  for (const path of reached) for (const needed of needsOf(lock, path)) reached.add(needed)
  return [...reached]
}
