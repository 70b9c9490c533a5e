import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { VERSION } from '../../adapters/config/version.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const read = (path: string): string => readFileSync(path, 'utf8')

const manifest = JSON.parse(read('package.json'))

describe('docs/events.md', () => {
  it('explains every event there is, and none besides', () => {
    const [table = ''] = partOf(read('docs/events.md'), '## Types').split('\n\n| event |')
    const listed = [...table.matchAll(/^\| ((?:`[A-Za-z]+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
      names.split(', ').map((name) => name.replaceAll('`', '')),
    )
    expect(listed).to.have.members([...EVENT_TYPES])
  })
})

describe('the package', () => {
  it('has one version', () => {
    expect(VERSION).to.equal(manifest.version)
    const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md')) ?? []
    expect(newest).to.equal(manifest.version)
  })

  it('says of all that it exports what a version of it promises', () => {
    const promises = read('docs/versioning.md')
    for (const path of Object.keys(manifest.exports).filter((one) => !one.endsWith('.json')))
      expect(promises).to.include(`\`${path.replace('.', manifest.name)}\``)
  })
})
