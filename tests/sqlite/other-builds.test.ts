import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { connect } from '../../adapters/stores/sqlite/driver.ts'
import { processWorkplace } from '../support/command.ts'

const BUILT = join(
  dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json')),
  'build/Release/better_sqlite3.node',
)

const [THIS_NODE, OTHER_NODE] = [Number(process.versions.modules), 83]

/** How a library names its Node version: in a function name, and at the start of its `node_module`. */
const nameFor = (node: number): string => `node_register_module_v${String(node).padStart(3, '0')}`
const recordFor = (node: number): string => {
  const record = Buffer.alloc(16)
  record.writeUInt32LE(node)
  return record.toString('latin1')
}

const SAID = /better-sqlite3 \S+ does not load on Node \S+: .*\. Run: npm rebuild better-sqlite3$/m

describe('a better-sqlite3 that was built', () => {
  const built = readFileSync(BUILT, 'latin1')
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-driver-'))
  const preload = join(folder, 'preload.cjs')
  const { portcullis, remove } = processWorkplace(([node = '', ...rest]) => [
    node,
    '--require',
    preload,
    ...rest,
  ])
  const ofOtherNode = built
    .replaceAll(nameFor(THIS_NODE), nameFor(OTHER_NODE))
    .replaceAll(recordFor(THIS_NODE), recordFor(OTHER_NODE))
  const LIBRARIES = new Map([['another machine', 'no library that this machine can load']])
  if (ofOtherNode !== built) LIBRARIES.set('another Node', ofOtherNode) // a Node-API build fits every Node
  const pathOf = (whatFor: string): string => join(folder, `${whatFor}.node`)

  before(async () => {
    for (const [whatFor, content] of LIBRARIES) writeFileSync(pathOf(whatFor), content, 'latin1')
    writeFileSync(
      preload,
      `const { dlopen } = process
       process.dlopen = (module, path, ...rest) =>
         dlopen.call(process, module, path.endsWith('better_sqlite3.node') && process.env.LIBRARY || path, ...rest)`,
    )
    expect((await portcullis('application create --name shop')).status).to.equal(0)
  })
  after(() => {
    rmSync(folder, { recursive: true })
    remove()
  })

  for (const whatFor of LIBRARIES.keys())
    it(`for ${whatFor} is distinguished from an unusable database file`, () => {
      expect(() => connect(':memory:', { nativeBinding: pathOf(whatFor) })).to.throw(SAID)
    })

  const LIBRARY = pathOf([...LIBRARIES.keys()].at(-1) ?? '')
  for (const words of ['serve', 'user list', 'doctor', 'backup copy.db'])
    it(`for another machine or Node ends ${words} with a remedy that does not mention the disk`, async () => {
      const { status, out, err } = await portcullis(words, { environment: { LIBRARY } })
      expect(status).to.equal(1)
      expect(out + err)
        .to.match(SAID)
        .and.not.to.match(/look at the file|ERR_DLOPEN/i)
    })
})
