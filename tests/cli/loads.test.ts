import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { processWorkplace } from '../support/command.ts'

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const PACKAGES = Object.keys({ ...dependencies, ...optionalDependencies })

/** Writes the paths of all CommonJS modules of a process to a file when it ends. */
const RECORDER = `
  const { writeFileSync } = require('node:fs')
  const { _cache } = require('node:module')
  process.once('exit', () => writeFileSync(process.env.LOADED, Object.keys(_cache).join('\\n')))`

const ON_SQLITE = ['better-sqlite3', 'commander', 'ipaddr.js', 'pino', 'reflect-metadata']

/** Commands, and the packages with CommonJS modules that they load. */
const COMMANDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  '--help': ['commander'],
  '--version': ['commander'],
  'user create': ['commander'],
  'application create --name shop': ON_SQLITE,
  'user list': ON_SQLITE,
  'keys list': ON_SQLITE,
  'events list': ON_SQLITE,
  doctor: ON_SQLITE,
}

describe('a command loads only the packages that it needs', () => {
  const { folder, portcullis, serve, remove } = processWorkplace()
  const [recorder, loaded] = [join(folder, 'recorder.cjs'), join(folder, 'loaded')]
  const environment = { NODE_OPTIONS: `--require ${recorder}`, LOADED: loaded }
  before(() => writeFileSync(recorder, RECORDER))
  after(remove)

  const loadedPackages = (): ReadonlyArray<string> => {
    const paths = readFileSync(loaded, 'utf8').split('\n')
    return PACKAGES.filter(
      (name) => !JOINED.includes(name) && paths.some((path) => path.includes(`/node_modules/${name}/`)),
    )
  }

  for (const [words, packages] of Object.entries(COMMANDS))
    it(words, async () => {
      await portcullis(words, { environment })
      expect(loadedPackages()).to.have.members(packages)
    })

  it('serve', async () => {
    const server = await serve('serve', environment)
    expect(await server.end()).to.equal(0)
    expect(loadedPackages()).to.have.members([
      ...ON_SQLITE,
      '@opentelemetry/api',
      'koa',
      'prom-client',
      'raw-body',
    ])
  })
})

/** Tests from source load these, which the compiled program contains. */
const JOINED = ['fp-ts', 'io-ts']
