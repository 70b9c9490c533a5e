import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { validate } from 'dockerfile-utils'
import { ROOT } from '../architecture/root.ts'
import { all, DOCKERFILE, last, stagesOf } from './dockerfile.ts'

const [build, image, ..._others] = stagesOf(DOCKERFILE)

describe('the Dockerfile', () => {
  it('has no findings of dockerfile-utils, which finds errors in a wrong one', () => {
    expect(validate(DOCKERFILE)).to.deep.equal([])
    const wrong = DOCKERFILE.replace('EXPOSE 8080', 'EXPOSE http')
      .replace('WORKDIR /portcullis', 'WORKDIR')
      .replace('--retries', '--tries')
    expect(validate(wrong)).to.have.lengthOf(3)
  })

  it('runs as a numeric user other than root, who owns only the store', () => {
    const user = last(image, 'USER')?.text ?? ''
    expect(user).to.match(/^[1-9]\d*:[1-9]\d*$/)
    const [uid, gid] = user.split(':')
    const [data = '', ...more] = last(image, 'VOLUME')?.words ?? []
    expect(more).to.deep.equal([])
    expect(data).to.equal(`${last(image, 'WORKDIR')?.text}/data`)
    const installed = all(image, 'RUN').map(({ text }) => text)
    expect(installed).to.deep.equal([`install -d -o ${uid} -g ${gid} -m 0700 data`])
    for (const { flags } of all(image, 'COPY')) expect(flags).not.to.have.any.keys('chown', 'chmod')
  })
})

describe('.dockerignore', () => {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

  it('allows only what the Dockerfile copies, without hidden files and databases', () => {
    const copied = [build, image]
      .flatMap((stage) => all(stage, 'COPY'))
      .filter(({ flags }) => flags.from === undefined)
      .flatMap(({ words }) => words.slice(0, -1))
    const taken = [...new Set(copied)].map((path) => `!${path}`)
    expect(lines[0]).to.equal('*')
    expect(lines.slice(1, 1 + taken.length)).to.have.members(taken)
    expect(lines.slice(1 + taken.length)).to.deep.equal(['**/.*', '**/*.db', '**/*.db-*'])
  })
})
