import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readLock } from '../supply-chain/lock.ts'
import { SUPPORTED } from './wanted.ts'

describe('the arguments of the matrix', () => {
  it('are by default the versions in the README and the Makefile, and start with that of package.json', () => {
    const list = `${SUPPORTED.slice(0, -1).join(', ')} and ${SUPPORTED.at(-1)}`
    expect(readFileSync('README.md', 'utf8')).to.include(`(tested on ${list})`)
    expect(readFileSync('Makefile', 'utf8')).to.include(`on Node ${list}, `)
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(engines.node.startsWith(`>=${SUPPORTED[0]}.`)).to.equal(true)
  })
})

describe('the better-sqlite3 for a Node.js version', () => {
  it('is in CONTRIBUTING.md: that of the lock file, and the one that make installs on Node 24', () => {
    const page = readFileSync('CONTRIBUTING.md', 'utf8')
    const locked = readLock().packages['node_modules/better-sqlite3']?.version
    const [, onNode24] =
      /^ON_NODE_24 := better-sqlite3@(13\.\d+\.\d+)$/m.exec(readFileSync('Makefile', 'utf8')) ?? []
    expect(page).to.include(`The lock file has better-sqlite3 ${locked}, `)
    expect(page).to.include(`So make installs ${onNode24} there.`)
    expect(page).to.include(`\`npm install --no-save better-sqlite3@${onNode24}\``)
  })
})
