import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { nodePackageOf } from './node-package.ts'
import { run } from './run.ts'

/** The environment in which `node` is this version, or why there is none. */
export type Had =
  | Readonly<{ _tag: 'Had'; version: string; env: NodeJS.ProcessEnv }>
  | Readonly<{ _tag: 'NotHad'; why: string }>

/** The last npm that runs on every supported Node.js, for machines whose own npm does not. */
const NPM = 'npm@11'

/** Installs into the folder that follows, regardless of the npm configuration. */
const INSTALL = ['install', '--global=false', '--no-save', '--no-package-lock', '--prefix']

/**
 * Installs a Node.js version from npm into the folder. In its environment every `node`, npm and npx, also of child processes,
 * uses that version, and native modules are compiled against its headers, not those of the machine's Node.js.
 *
 * @param wanted a version of Node.js, or its beginning
 */
export const nodeOfRegistry = async (wanted: string, folder: string, stopped: AbortSignal): Promise<Had> => {
  const machine = `${process.platform}-${process.arch}`
  const name = nodePackageOf(machine)
  if (name === undefined) return { _tag: 'NotHad', why: `npm has no package of Node for ${machine}` }
  mkdirSync(folder)
  const own = ownEnvironment()
  const node = `${name}@${wanted}`
  const install = async (...packages: ReadonlyArray<string>): Promise<boolean> =>
    (await run('npm', [...INSTALL, folder, ...packages], { cwd: folder, env: own }, stopped)) === 0

  if (!(await install(node))) return { _tag: 'NotHad', why: `npm could not install ${node}` }
  const modules = join(folder, 'node_modules')
  const headers = existsSync(join(modules, name, 'include', 'node', 'node_version.h'))
  const env = {
    ...own,
    PATH: `${join(modules, '.bin')}${delimiter}${own.PATH ?? ''}`,
    ...(headers ? { npm_config_nodedir: join(modules, name) } : {}),
  }

  const asked = spawnSync('node', ['--version'], { env, encoding: 'utf8' })
  if (asked.status !== 0) return { _tag: 'NotHad', why: `${node} does not run on this machine` }
  const takesNpm = spawnSync('npm', ['--version'], { env, cwd: folder }).status === 0
  if (!takesNpm && !(await install(node, NPM)))
    return {
      _tag: 'NotHad',
      why: `neither the npm of this machine runs on it, nor could ${NPM} be installed`,
    }
  return { _tag: 'Had', version: asked.stdout.trim(), env }
}

/** The environment of this process, without the variables that the parent make sets for its child makes. */
const ownEnvironment = (): NodeJS.ProcessEnv => {
  const { MAKEFLAGS: _flags, MFLAGS: _older, MAKELEVEL: _level, MAKEOVERRIDES: _set, ...rest } = process.env
  return rest
}
