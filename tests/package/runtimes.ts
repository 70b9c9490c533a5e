import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nodePackageOf } from '../matrix/node-package.ts'
import { SUPPORTED } from '../matrix/wanted.ts'

/** A JavaScript runtime. */
export type Runtime = Readonly<{
  name: string
  /** What npm installs. */
  packages: ReadonlyArray<string>
  /** The command line that runs a program, in the folder that has the packages. */
  commandOf: (folder: string, program: string) => ReadonlyArray<string>
}>

const [major = ''] = process.versions.node.split('.')

const nodeOf = (version: string): Runtime => {
  const name = nodePackageOf(`${process.platform}-${process.arch}`)
  return {
    name: `Node ${version}`,
    packages: name === undefined ? [] : [`${name}@${version}`],
    commandOf: (folder, program) => [join(folder, 'node_modules', name ?? '', 'bin', 'node'), program],
  }
}

/** Their packages bring one optional package per kind of machine, which contains the program. npm installs only that of this machine. */
const nativeIn = (folder: string, scope: string, file: string): string => {
  const places = join(folder, 'node_modules', scope)
  const found = (existsSync(places) ? readdirSync(places) : [])
    .map((name) => join(places, name, file))
    .find(existsSync)
  if (found === undefined) throw new Error(`${scope} has no program for this machine`)
  return found
}

/** The runtimes that `portcullis-client` supports. */
export const RUNTIMES: ReadonlyArray<Runtime> = [
  {
    name: `Node ${process.versions.node}, of this process`,
    packages: [],
    commandOf: (_, program) => [process.execPath, program],
  },
  ...SUPPORTED.filter((version) => version !== major).map(nodeOf),
  {
    name: 'Deno',
    packages: ['deno'],
    // It may read the program and its package, and connect to the service. It may not read the environment.
    commandOf: (folder, program) => [
      nativeIn(folder, '@deno', 'deno'),
      ...['run', '--no-prompt', '--cached-only', '--node-modules-dir=manual', '--allow-net=127.0.0.1'],
      program,
    ],
  },
  {
    name: 'Bun',
    packages: ['bun'],
    commandOf: (folder, program) => [nativeIn(folder, '@oven', join('bin', 'bun')), program],
  },
]
