import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { nodePackageOf } from './node-package.ts'
import { run } from './run.ts'

/** The environment in which this Node is `node`, or why there is none. */
export type Had =
  | Readonly<{ _tag: 'Had'; version: string; env: NodeJS.ProcessEnv }>
  | Readonly<{ _tag: 'NotHad'; why: string }>

/** The last npm that runs on every Node that is supported, for where the machine's own does not. */
const NPM = 'npm@11'

/** Into the folder that follows, wherever npm is told to install. */
const INSTALL = ['install', '--global=false', '--no-save', '--no-package-lock', '--prefix']

/**
 * Installs a Node from the registry into the folder. In its environment every `node`, npm and npx, and whatever they start, is
 * that Node, and what is native is compiled against its headers, whatever the machine's npm is told of another's.
 *
 * @param wanted a version of Node, or the beginning of one
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

/** Ours, without what the make that started us tells a make below it: the one of the tests is its own. */
const ownEnvironment = (): NodeJS.ProcessEnv => {
  const { MAKEFLAGS: _flags, MFLAGS: _older, MAKELEVEL: _level, MAKEOVERRIDES: _set, ...rest } = process.env
  return rest
}
